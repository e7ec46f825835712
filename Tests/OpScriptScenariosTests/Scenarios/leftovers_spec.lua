-- Objects that are not leaks.
describe("nothing is left", function()
    it("of operations that were awaited", function() await(work.sleep(1)) end)
    it("of operations that were cancelled at the end", function()
        local queue = OperationQueue { name = "io" }
        queue:addOperation(work.sleep(100))
        queue:cancelAllOperations()
    end)
    it("of a timer that was invalidated", function()
        local timer = Timer.scheduledTimer { interval = 1, repeats = true, block = function() end }
        sleep(3.5)
        assert.equals(3, timer.fireCount)
        timer:invalidate()
    end)
    it("of operations that were never added", function() work.sleep(1) end)
    it("where that is allowed", { leaks = true }, function()
        Timer.scheduledTimer { interval = 1, repeats = true, block = function() end }
    end)
end)
