-- Several attempts, and limits of time.
describe("an attempt", function()
    it("that fails is followed by another one, until one succeeds", function()
        local op = Operation { retry = { attempts = 5, delay = 0.001 }, main = function(op)
            if op.attempt < 3 then error("not yet") end
            return op.attempt
        end }
        assert.equals(3, await(op))
        assert.same({ 3, "succeeded" }, { op.attempt, op.outcome })
    end)

    it("that is the last one decides", function()
        local runs, ends, dependent = 0, 0, Operation { name = "after", main = function() end }
        local op = Operation { name = "op", retry = { attempts = 3 }, main = function()
            runs = runs + 1
            error("no " .. runs, 0)
        end, completionBlock = function() ends = ends + 1 end }
        dependent:addDependency(op)
        OperationQueue():addOperation(dependent)
        local ok, problem = pawait(op)
        dependent:waitUntilFinished()
        assert.is_false(ok)
        assert.equals("no 3", problem.message)
        assert.same({ 3, 1, "failed", "skipped" }, { runs, ends, op.outcome, dependent.outcome })
    end)

    it("comes no sooner than its delay", function()
        local failedAt, waited = nil, nil
        local op = Operation { retry = { attempts = 2, delay = 0.02 }, main = function(op)
            if op.attempt == 2 then waited = clock.now() - failedAt return end
            failedAt = clock.now()
            error("x")
        end }
        await(op)
        assert.is_true(waited > 0.0199)
    end)

    it("leaves its slot to others until the next one", function()
        local queue, log = OperationQueue { maxConcurrentOperationCount = 1 }, {}
        local op = Operation { retry = { attempts = 2, delay = 600 }, main = function(op)
            log[#log + 1] = "attempt " .. op.attempt
            error("x")
        end }
        queue:addOperation(op)
        local between = queue:addOperation(function() log[#log + 1] = "between" end)
        between:waitUntilFinished()
        assert.equals("pending", op.state)
        op:cancel()
        queue:waitUntilAllOperationsAreFinished()
        assert.same({ "attempt 1", "between" }, log)
    end)

    it("does not follow if the operation was cancelled in between", function()
        local runs = 0
        local op = Operation { retry = { attempts = 5, delay = 600 }, main = function()
            runs = runs + 1
            error("x")
        end }
        OperationQueue():addOperation(op)
        repeat sleep(0.001) until runs == 1 and op.state == "pending"
        op:cancel()
        op:waitUntilFinished()
        assert.same({ 1, "cancelled" }, { runs, op.outcome })
    end)

    it("gives its resources back before the next one", function()
        OperationQueue.setResource("printer", 1)
        local queue, log = OperationQueue(), {}
        local op = queue:addOperation(Operation {
            resources = { printer = 1 }, retry = { attempts = 2, delay = 600 }, main = function(op)
                log[#log + 1] = "attempt " .. op.attempt
                error("x")
            end,
        })
        local between = Operation { resources = { printer = 1 }, main = function() log[#log + 1] = "between" end }
        queue:addOperation(between)
        between:waitUntilFinished()
        op:cancel()
        queue:waitUntilAllOperationsAreFinished()
        assert.same({ "attempt 1", "between" }, log)
    end)
end)

describe("a time limit", function()
    it("ends what takes longer", function()
        local op = Operation { name = "slow", timeout = 0.01, main = function() sleep(600) end }
        local ok, problem = pawait(op)
        assert.is_false(ok)
        assert.same({ "failed", "timeout" }, { op.outcome, problem.code })
    end)

    it("counts while it executes, and not while it waits", function()
        -- On the real clock a machine that is busy may need longer than a short limit.
        local limit = clock.isVirtual and 0.05 or 60
        local queue = OperationQueue { maxConcurrentOperationCount = 1 }
        queue:addOperation(function() sleep(0.1) end)
        local op = queue:addOperation(Operation { timeout = limit, main = function() return 1 end })
        queue:waitUntilAllOperationsAreFinished()
        assert.equals("succeeded", op.outcome)
    end)

    it("is each attempt's own", function()
        local op = Operation { timeout = 0.01, retry = { attempts = 3 }, main = function(op)
            if op.attempt < 3 then sleep(600) end
            return op.attempt
        end }
        assert.equals(3, await(op))
    end)

    it("at the moment of the end: one of the two is the outcome", function()
        local op = Operation { name = "op", timeout = 0.01, main = function() sleep(0.01) return "done" end }
        local ok, value = pawait(op)
        assert.equals(ok and "succeeded" or "failed", op.outcome)
        assert.equals(ok and "done" or "timeout", ok and value or value.code)
        assert.equals(ok and "done" or nil, op.result)
    end)

    it("releases the slot", function()
        local queue, ran = OperationQueue { maxConcurrentOperationCount = 1 }, false
        queue:addOperation(Operation { timeout = 0.01, allowsFailure = true, main = function() sleep(600) end })
        queue:addOperation(function() ran = true end)
        queue:waitUntilAllOperationsAreFinished()
        assert.is_true(ran)
    end)
end)
