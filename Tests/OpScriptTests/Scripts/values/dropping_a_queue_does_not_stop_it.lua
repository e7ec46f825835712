-- Dropping the last reference to a queue with unfinished operations does not stop it.
-- expect-stdout: first
-- expect-stdout: second
do
    local queue = OperationQueue { maxConcurrentOperationCount = 1 }
    queue:addOperation(function()
        sleep(0.002)
        print("first")
    end)
    queue:addOperation(function() print("second") end)
end
collectgarbage()
collectgarbage()
