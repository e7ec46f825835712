it("loses an update if the second body reads before the first one writes", function()
    local count = 0
    local queue = OperationQueue { maxConcurrentOperationCount = 2 }
    queue:addOperation(function()
        sleep(2)
        count = count + 1
    end)
    queue:addOperation(function()
        sleep(1)
        sleep(1)
        local before = count
        sleep(1)
        count = before + 1
    end)
    queue:waitUntilAllOperationsAreFinished()
    assert.equal(2, count)
end)
