-- A barrier changes the settings for all operations after it.
it("an operation after the barrier sees the new settings", function()
    local queue = OperationQueue { maxConcurrentOperationCount = 4 }
    local settings, seen = "old", nil
    queue:addBarrierBlock(function()
        local change = async(function() sleep(1) settings = "new" end)
        await(change)
    end)
    queue:addOperation(function() sleep(1) seen = settings end)
    queue:waitUntilAllOperationsAreFinished()
    assert.equals("new", seen)
end)
