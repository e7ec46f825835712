-- When the main chunk has returned, the run continues for coroutines that wait.
-- expect-stdout: main chunk ends
-- expect-stdout: completion block begins
-- expect-stdout: completion block ends
local op = OperationQueue():addOperation(function() end)
op.completionBlock = function()
    print("completion block begins")
    sleep(0.01)
    print("completion block ends")
end
print("main chunk ends")
