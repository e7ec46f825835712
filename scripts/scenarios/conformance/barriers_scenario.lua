-- Barriers of a queue.
describe("a barrier", function()
    it("runs after all before it and before all after it", function()
        local queue, before, after, atBarrier = OperationQueue(), 0, 0, nil
        for _ = 1, 3 do queue:addOperation(function() sleep(0.001) before = before + 1 end) end
        queue:addBarrierBlock(function()
            atBarrier = { before, after }
            sleep(0.001)
            assert.same({ 3, 0 }, { before, after })
        end)
        for _ = 1, 3 do queue:addOperation(function() after = after + 1 sleep(0.001) end) end
        queue:waitUntilAllOperationsAreFinished()
        assert.same({ 3, 0 }, atBarrier)
        assert.equals(3, after)
    end)

    it("is overtaken by no priority", function()
        local queue, log = OperationQueue { maxConcurrentOperationCount = 2 }, {}
        queue:addOperation(function() sleep(0.001) log[#log + 1] = "before" end)
        queue:addBarrierBlock(function() log[#log + 1] = "barrier" end)
        queue:addOperation(Operation { queuePriority = "veryHigh", main = function() log[#log + 1] = "after" end })
        queue:waitUntilAllOperationsAreFinished()
        assert.same({ "before", "barrier", "after" }, log)
    end)

    it("follows another", function()
        local queue, log = OperationQueue(), {}
        local function note(text) return function() sleep(0.001) log[#log + 1] = text end end
        queue:addOperation(note "a")
        queue:addBarrierBlock(note "1")
        queue:addBarrierBlock(note "2")
        queue:addOperation(note "b")
        queue:addBarrierBlock(note "3")
        queue:waitUntilAllOperationsAreFinished()
        assert.same({ "a", "1", "2", "b", "3" }, log)
    end)

    it("is one also in an empty and in a suspended queue", function()
        local queue, log = OperationQueue { isSuspended = true }, {}
        queue:addBarrierBlock(function() sleep(0.001) log[#log + 1] = "barrier" end)
        queue:addOperation(function() log[#log + 1] = "after" end)
        sleep(0.002)
        assert.same({}, log)
        queue.isSuspended = false
        queue:waitUntilAllOperationsAreFinished()
        assert.same({ "barrier", "after" }, log)
    end)

    it("that waits for a dependency keeps back those after it", function()
        local queue, gate, log = OperationQueue(), Gate "gate", {}
        local barrier = Operation { main = function() log[#log + 1] = "barrier" end }
        barrier:addDependency(gate)
        queue:addBarrierBlock(barrier)
        queue:addOperation(function() log[#log + 1] = "after" end)
        sleep(0.002)
        assert.same({}, log)
        gate:finish()
        queue:waitUntilAllOperationsAreFinished()
        assert.same({ "barrier", "after" }, log)
    end)

    it("that is cancelled delays no other operation", function()
        local queue, gate, log = OperationQueue(), Gate "gate", {}
        local barrier = Operation { main = function() log[#log + 1] = "barrier" end }
        barrier:addDependency(gate)
        queue:addBarrierBlock(barrier)
        queue:addOperation(function() log[#log + 1] = "after" end)
        barrier:cancel()
        queue:waitUntilAllOperationsAreFinished()
        assert.same({ "after" }, log)
        gate:finish()
    end)

    it("waits for what becomes ready late", function()
        local queue, gate, log = OperationQueue(), Gate "gate", {}
        local late = Operation { main = function() log[#log + 1] = "late" end }
        late:addDependency(gate)
        queue:addOperation(late)
        queue:addBarrierBlock(function() log[#log + 1] = "barrier" end)
        async(function()
            sleep(0.001)
            gate:finish()
        end)
        queue:waitUntilAllOperationsAreFinished()
        assert.same({ "late", "barrier" }, log)
    end)

    it("whose last predecessors end in one moment runs once, after all of them", function()
        local queue, running, runs = OperationQueue { maxConcurrentOperationCount = 4 }, 0, 0
        for place = 1, 4 do
            queue:addOperation(function()
                running = running + 1
                sleep(0.001)
                running = running - 1
                if place % 2 == 0 then sleep(0) end
            end)
        end
        queue:addBarrierBlock(function()
            runs = runs + 1
            assert.equals(0, running)
        end)
        queue:waitUntilAllOperationsAreFinished()
        assert.equals(1, runs)
    end)
end)
