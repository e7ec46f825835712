-- The order in which a queue starts ready operations.
local function job(log, name, priority)
    return Operation { name = tostring(name), queuePriority = priority or "normal", main = function() log[#log + 1] = name end }
end

describe("a queue", function()
    it("starts what is ready by priority, then in the order of addition", function()
        local log, queue = {}, OperationQueue { maxConcurrentOperationCount = 1 }
        queue:addOperations({
            job(log, "low", "low"), job(log, "one"), job(log, "high", "high"), job(log, "two"),
            job(log, "lowest", "veryLow"), job(log, "highest", "veryHigh"), job(log, "three"),
        }, true)
        assert.same({ "highest", "high", "one", "two", "three", "low", "lowest" }, log)
    end)

    it("takes a priority that is changed before the start", function()
        local log, gate = {}, Gate "gate"
        local queue = OperationQueue { maxConcurrentOperationCount = 1 }
        queue:addOperation(function() await(gate) end)
        local one, two, three = job(log, "one"), job(log, "two"), job(log, "three")
        queue:addOperations { one, two, three }
        -- They are ready when their priorities change.
        sleep(0)
        three.queuePriority = "high"
        one.queuePriority = "low"
        gate:finish()
        queue:waitUntilAllOperationsAreFinished()
        assert.same({ "three", "two", "one" }, log)
    end)

    it("starts the operation that was added first, even if it became ready late", function()
        local log, gate = {}, Gate "gate"
        local queue = OperationQueue { maxConcurrentOperationCount = 1, isSuspended = true }
        local late = job(log, "late")
        late:addDependency(gate)
        queue:addOperations { late, job(log, "one"), job(log, "two") }
        sleep(0)
        gate:finish()
        sleep(0)
        queue.isSuspended = false
        queue:waitUntilAllOperationsAreFinished()
        assert.same({ "late", "one", "two" }, log)
    end)

    it("gives a slot that comes free to the first of those that are ready then", function()
        local log, queue = {}, OperationQueue { maxConcurrentOperationCount = 2 }
        for place = 1, 2 do queue:addOperation(function() sleep(0.001) end) end
        for place = 1, 6 do queue:addOperation(job(log, place, place % 2 == 0 and "high" or "normal")) end
        queue:waitUntilAllOperationsAreFinished()
        assert.same({ 2, 4, 6, 1, 3, 5 }, log)
    end)

    it("lets no priority go before a dependency", function()
        local log, queue = {}, OperationQueue { maxConcurrentOperationCount = 1 }
        local urgent, plain = job(log, "urgent", "veryHigh"), job(log, "plain", "veryLow")
        urgent:addDependency(plain)
        queue:addOperations({ urgent, plain, job(log, "other") }, true)
        assert.same({ "other", "plain", "urgent" }, log)
    end)

    it("keeps the order also for bodies of two kinds", function()
        local order, queue = {}, OperationQueue { maxConcurrentOperationCount = 1 }
        local all = {}
        for place = 1, 8 do
            local op = place % 2 == 0 and work.json.encode(place) or Operation(function() sleep(0.001) end)
            op:observe("isExecuting", function(change) if change.new then order[#order + 1] = place end end)
            all[place] = op
        end
        queue:addOperations(all, true)
        sleep(0)
        assert.same({ 1, 2, 3, 4, 5, 6, 7, 8 }, order)
    end)

    it("adds all of a list or none", function()
        local queue, gate, ran = OperationQueue(), Gate "gate", 0
        local taken = Operation(function() await(gate) end)
        OperationQueue():addOperation(taken)
        local one = Operation(function() ran = ran + 1 end)
        assert.has_error(function() queue:addOperations { one, taken } end)
        assert.equals(0, queue.operationCount)
        gate:finish()
        queue:addOperation(one)
        queue:waitUntilAllOperationsAreFinished()
        taken:waitUntilFinished()
        assert.equals(1, ran)
    end)

    it("that fails fast cancels operations that have not started, and lets executing ones continue", function()
        local gate, ran = Gate "gate", 0
        local queue = OperationQueue { maxConcurrentOperationCount = 2, failFast = true }
        local running = queue:addOperation(function() await(gate) end)
        local bad = queue:addOperation(Operation { name = "bad", main = function() error("x") end })
        local rest = {}
        for place = 1, 3 do rest[place] = queue:addOperation(function() ran = ran + 1 end) end
        local ok = pawait(bad)
        assert.is_false(ok)
        for _, op in ipairs(rest) do assert.equals("cancelled", op.outcome) end
        assert.is_true(running.isExecuting and not running.isCancelled)
        gate:finish()
        queue:waitUntilAllOperationsAreFinished()
        assert.equals("succeeded", running.outcome)
        assert.equals(0, ran)
    end)

    it("starts what is added with a delay after that, and not before", function()
        local at, begun = {}, clock.now()
        local queue = OperationQueue()
        for place, delay in ipairs { 0.02, 0.01 } do
            queue:addOperation(Operation(function() at[place] = clock.now() - begun end), { after = delay })
        end
        queue:waitUntilAllOperationsAreFinished()
        assert.is_true(at[1] > 0.0199 and at[2] > 0.0099)
    end)
end)
