-- Cancelling, at each point of a life, and at the very moment of an end.
describe("cancelling", function()
    it("before the start: the body never runs, and it ends as cancelled", function()
        local queue, gate, log = OperationQueue { maxConcurrentOperationCount = 1 }, Gate "gate", {}
        queue:addOperation(function() await(gate) end)
        local op = queue:addOperation(Operation {
            main = function() log[#log + 1] = "ran" end,
            completionBlock = function(op) log[#log + 1] = op.outcome end,
        })
        sleep(0)
        op:cancel()
        assert.is_true(op.isCancelled)
        -- It needs no slot.
        op:waitUntilFinished()
        gate:finish()
        queue:waitUntilAllOperationsAreFinished()
        assert.same({ "cancelled" }, log)
    end)

    it("while it waits for a dependency: it ends at once", function()
        local gate, ran = Gate "gate", false
        local op = Operation { main = function() ran = true end }
        op:addDependency(gate)
        local queue = OperationQueue()
        queue:addOperation(op)
        sleep(0)
        op:cancel()
        queue:waitUntilAllOperationsAreFinished()
        assert.equals("cancelled", op.outcome)
        gate:finish()
        sleep(0)
        assert.is_false(ran)
    end)

    it("while it runs: its waits raise, and what it returns does not count", function()
        local code
        local op = OperationQueue():addOperation(function()
            local _, problem = pcall(sleep, 600)
            code = problem.code
            return "all the same"
        end)
        sleep(0)
        assert.is_true(op.isExecuting)
        op:cancel()
        op:waitUntilFinished()
        assert.equals("cancelled", code)
        assert.same({ "cancelled", nil }, { op.outcome, op.result })
    end)

    it("a closure ends it soon", function()
        local op = OperationQueue():addOperation(work.sleep(600))
        op:observe("isExecuting", function(change) if change.new then op:cancel() end end)
        op:waitUntilFinished()
        assert.equals("cancelled", op.outcome)
    end)

    it("keeps the slot until the body has returned", function()
        local queue, gate, ran = OperationQueue { maxConcurrentOperationCount = 1 }, Gate "gate", false
        local op = queue:addOperation(function() shield(await, gate) end)
        queue:addOperation(function() ran = true end)
        sleep(0)
        op:cancel()
        sleep(0.002)
        assert.is_true(op.isExecuting and not ran)
        gate:finish()
        queue:waitUntilAllOperationsAreFinished()
        assert.is_true(ran)
    end)

    it("after the end does nothing", function()
        local op = OperationQueue():addOperation(function() return 1 end)
        op:waitUntilFinished()
        op:cancel()
        assert.is_false(op.isCancelled)
        assert.same({ "succeeded", 1 }, { op.outcome, op.result })
    end)

    it("at the moment of the end: one of the two is the outcome, and all agree about it", function()
        local told, released = {}, false
        local queue = OperationQueue()
        local op = Operation {
            name = "op", main = function() sleep(0.005) return "done" end,
            completionBlock = function(op) told[#told + 1] = op.outcome end,
        }
        local after = Operation { name = "after", main = function() released = true end }
        after:addDependency(op)
        queue:addOperations { op, after }
        local wasFinished
        local canceller = async(function()
            sleep(0.005)
            wasFinished = op.isFinished
            op:cancel()
        end)
        await(canceller)
        queue:waitUntilAllOperationsAreFinished()
        sleep(0)
        assert.same({ op.outcome }, told)
        assert.equals(op.outcome == "cancelled", op.isCancelled)
        if wasFinished then assert.equals("succeeded", op.outcome) end
        assert.equals(op.outcome == "succeeded" and "done" or nil, op.result)
        -- Cancelled or not, it releases its waiters.
        assert.is_true(released)
    end)

    it("at the moment of the start: it runs and is notified, or never runs", function()
        local queue, runs = OperationQueue { maxConcurrentOperationCount = 1 }, 0
        queue:addOperation(function() sleep(0.005) end)
        local op = queue:addOperation(function()
            runs = runs + 1
            sleep(600)
        end)
        local hadBegun
        local canceller = async(function()
            sleep(0.005)
            -- So that it comes a little later than the start, in the usual order.
            sleep(0)
            hadBegun = op.isExecuting
            op:cancel()
        end)
        await(canceller)
        queue:waitUntilAllOperationsAreFinished()
        assert.equals("cancelled", op.outcome)
        assert.equals(hadBegun and 1 or 0, runs)
    end)

    it("all of a queue reaches each of them, and no other", function()
        local queue, other, gate = OperationQueue { maxConcurrentOperationCount = 2 }, OperationQueue(), Gate "gate"
        local all = {}
        for place = 1, 5 do all[place] = queue:addOperation(function() sleep(600) end) end
        local free = other:addOperation(function() await(gate) end)
        sleep(0)
        queue:cancelAllOperations()
        queue:waitUntilAllOperationsAreFinished()
        for _, op in ipairs(all) do assert.equals("cancelled", op.outcome) end
        assert.is_true(free.isExecuting and not free.isCancelled)
        gate:finish()
        other:waitUntilAllOperationsAreFinished()
    end)

    it("the waiter does not affect the awaited operation", function()
        local gate = Gate "gate"
        local awaited = async(function() await(gate) return 7 end)
        local waiter = async(function() return await(awaited) end)
        sleep(0)
        waiter:cancel()
        waiter:waitUntilFinished()
        assert.is_false(awaited.isFinished or awaited.isCancelled)
        gate:finish()
        assert.equals(7, await(awaited))
        assert.equals("cancelled", waiter.outcome)
    end)

    it("lets what cleans up wait", function()
        local cleaned = false
        local op = async(function()
            local guard <close> = setmetatable({}, { __close = function()
                sleep(0.001)
                cleaned = true
            end })
            sleep(600)
        end)
        sleep(0)
        op:cancel()
        op:waitUntilFinished()
        assert.is_true(cleaned)
    end)
end)
