-- The report of an operation that raised a table says where it was raised.
-- expect-status: 1
-- expect-stderr: failed: 't'.*error object is a table value
-- expect-stderr: table_has_its_traceback_in_the_report%.lua:6: in
local function raise()
    error { status = 404 }
end
OperationQueue.default:addOperation(Operation { name = "t", main = function() raise() print("never") end })
