-- A queue that is suspended.
describe("a suspended queue", function()
    it("starts nothing, not even operations that were added just before", function()
        local queue, ran = OperationQueue(), 0
        queue:addOperation(function() ran = ran + 1 end)
        queue.isSuspended = true
        queue:addOperation(function() ran = ran + 1 end)
        sleep(0.002)
        assert.equals(0, ran)
        assert.equals(2, queue.operationCount)
        queue.isSuspended = false
        queue:waitUntilAllOperationsAreFinished()
        assert.equals(2, ran)
    end)

    it("lets executing operations continue, and starts nothing after them", function()
        local queue, gate, log = OperationQueue { maxConcurrentOperationCount = 1 }, Gate "gate", {}
        local first = queue:addOperation(function() await(gate) log[#log + 1] = "first" end)
        queue:addOperation(function() log[#log + 1] = "second" end)
        sleep(0)
        queue.isSuspended = true
        gate:finish()
        first:waitUntilFinished()
        sleep(0.002)
        assert.same({ "first" }, log)
        queue.isSuspended = false
        queue:waitUntilAllOperationsAreFinished()
        assert.same({ "first", "second" }, log)
    end)

    it("starts nothing from the moment on in which it is suspended, even if operations end then", function()
        local queue = OperationQueue { maxConcurrentOperationCount = 2 }
        for _ = 1, 6 do
            queue:addOperation(function()
                assert.is_false(queue.isSuspended)
                sleep(0.001)
            end)
        end
        local pause = async(function()
            sleep(0.001)
            queue.isSuspended = true
            sleep(0.003)
            queue.isSuspended = false
        end)
        await(pause)
        queue:waitUntilAllOperationsAreFinished()
    end)

    it("keeps what is cancelled or skipped until it is resumed", function()
        local queue, log = OperationQueue { isSuspended = true }, {}
        local function note(op) log[#log + 1] = op.name .. " " .. op.outcome end
        local gone = Operation { name = "gone", main = function() end, completionBlock = note }
        local bad = Operation { name = "bad", allowsFailure = true, main = function() error("x") end }
        local skipped = Operation { name = "skipped", main = function() end, completionBlock = note }
        skipped:addDependency(bad)
        queue:addOperations { gone, skipped }
        gone:cancel()
        pawait(bad)
        sleep(0.002)
        assert.same({}, log)
        assert.is_true(gone.isCancelled and not gone.isFinished)
        queue.isSuspended = false
        queue:waitUntilAllOperationsAreFinished()
        sleep(0)
        table.sort(log)
        assert.same({ "gone cancelled", "skipped skipped" }, log)
    end)

    it("continues in order when it is resumed", function()
        local queue, log = OperationQueue { maxConcurrentOperationCount = 1, isSuspended = true }, {}
        for place = 1, 4 do queue:addOperation(function() log[#log + 1] = place end) end
        sleep(0)
        queue.isSuspended = false
        queue:waitUntilAllOperationsAreFinished()
        assert.same({ 1, 2, 3, 4 }, log)
    end)

    it("keeps none in other queues back", function()
        local held, free = OperationQueue { isSuspended = true }, OperationQueue()
        local op = held:addOperation(function() end)
        local ran = false
        free:addOperation(function() ran = true end)
        free:waitUntilAllOperationsAreFinished()
        assert.is_true(ran and not op.isFinished)
        held.isSuspended = false
        held:waitUntilAllOperationsAreFinished()
    end)
end)
