-- When the main chunk has returned, the run continues until operations in queues have finished.
-- expect-stdout: main chunk ends
-- expect-stdout: slow operation ends
-- expect-stdout: completion block
local op = OperationQueue():addOperation(function()
    sleep(0.01)
    print("slow operation ends")
end)
op.completionBlock = function() print("completion block") end
print("main chunk ends")
