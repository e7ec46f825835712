-- Where a call reads a list, a table that has only named fields is refused: its values would be ignored.
local function refused(fn)
    local ok, problem = pcall(fn)
    assert(not ok and problem.code == "argument", tostring(problem))
end
local op = Operation(function() end)
refused(function() OperationQueue():addOperations { first = op } end)
refused(function() await.all { first = op } end)
refused(function() await.any { first = op } end)
refused(function() await.settled { first = op } end)
refused(function() Operation { main = print, dependencies = { first = op } } end)
refused(function() DispatchQueue { attributes = { concurrent = true } } end)
OperationQueue():addOperations {}
await.all {}
