-- One operation: its states, its end, and the order of notifications then.
local function note(log, text) return function() log[#log + 1] = text end end

describe("an operation", function()
    it("goes through its states once and in order", function()
        local log, gate = {}, Gate "gate"
        local first = Operation { name = "first", main = function() await(gate) end }
        local op = Operation { name = "op", main = function() sleep(0.001) end }
        op:addDependency(first)
        assert.equals("pending", op.state)
        for _, key in ipairs { "isReady", "isExecuting", "isFinished" } do
            op:observe(key, function(change) log[#log + 1] = key .. "=" .. tostring(change.new) end)
        end
        local queue = OperationQueue()
        queue:addOperations { first, op }
        sleep(0)
        assert.equals("pending", op.state)
        gate:finish()
        queue:waitUntilAllOperationsAreFinished()
        assert.equals("finished", op.state)
        assert.is_true(op.isReady)
        -- The end of executing and being finished are one transition, reported key by key.
        assert.same({ "isReady=true", "isExecuting=true" }, { log[1], log[2] })
        table.sort(log)
        assert.same({ "isExecuting=false", "isExecuting=true", "isFinished=true", "isReady=true" }, log)
    end)

    it("has a result only when it succeeded", function()
        local good = Operation(function() return "a", "b" end)
        local bad = Operation { allowsFailure = true, main = function() error("no") end }
        OperationQueue():addOperations({ good, bad }, true)
        assert.same({ "succeeded", "a", nil }, { good.outcome, good.result, good.error })
        assert.equals("failed", bad.outcome)
        assert.is_nil(bad.result)
        assert.matches("no$", bad.error.message)
    end)

    it("notifies its observers, its completion block, its waiters and the bodies it releases, in this order", function()
        local log, gate = {}, Gate "gate"
        local queue = OperationQueue()
        local op = Operation { name = "op", main = function() await(gate) end, completionBlock = note(log, "completion") }
        op:observe("isFinished", note(log, "observer 1"))
        op:observe("isFinished", note(log, "observer 2"))
        local after = Operation { name = "after", main = note(log, "body") }
        after:addDependency(op)
        queue:addOperations { after, op }
        for place = 1, 3 do
            async(function()
                op:waitUntilFinished()
                log[#log + 1] = "waiter " .. place
            end)
        end
        sleep(0)
        gate:finish()
        queue:waitUntilAllOperationsAreFinished()
        sleep(0)
        assert.same({ "observer 1", "observer 2", "completion", "waiter 1", "waiter 2", "waiter 3", "body" }, log)
    end)

    it("shows its outcome and result to all that is called at its end", function()
        local seen = {}
        local function look(op) seen[#seen + 1] = op.state .. " " .. op.outcome .. " " .. op.result end
        local op = Operation { main = function() sleep(0.001) return "r" end, completionBlock = look }
        op:observe("isFinished", function(change) look(change.object) end)
        op:observe("outcome", function(change) look(change.object) end)
        await(op)
        look(op)
        assert.same({ "finished succeeded r", "finished succeeded r", "finished succeeded r", "finished succeeded r" }, seen)
    end)

    it("calls its completion block once, with any outcome", function()
        local calls = {}
        local function counted(options)
            options.completionBlock = function(op) calls[#calls + 1] = op.name .. " " .. op.outcome end
            options.allowsFailure = true
            return Operation(options)
        end
        local good = counted { name = "good", main = function() end }
        local bad = counted { name = "bad", main = function() error("x") end }
        local gone = counted { name = "gone", main = function() end }
        local skipped = counted { name = "skipped", main = function() end }
        skipped:addDependency(bad)
        gone:cancel()
        OperationQueue():addOperations({ good, bad, gone, skipped }, true)
        sleep(0)
        table.sort(calls)
        assert.same({ "bad failed", "gone cancelled", "good succeeded", "skipped skipped" }, calls)
    end)

    it("that is asynchronous ends by its first end, and by no other", function()
        local op = Operation { name = "asynchronous", start = function(op)
            for _, value in ipairs { "one", "two" } do
                async(function()
                    sleep(0.001)
                    op:finish(value)
                end)
            end
        end }
        local result = await(op)
        sleep(0.01)
        assert.equals(result, op.result)
        assert.is_true(result == "one" or result == "two")
        assert.equals("succeeded", op.outcome)
    end)

    it("of several blocks ends after all of them", function()
        local ended = 0
        local op = BlockOperation(function() sleep(0.001) ended = ended + 1 return "a" end)
        op:addExecutionBlock(function() sleep(0.001) ended = ended + 1 return "b" end)
        op:addExecutionBlock(function() ended = ended + 1 return "c" end)
        op.completionBlock = function() assert.equals(3, ended) end
        await(op)
        assert.same({ "a", "b", "c" }, { op:results() })
    end)

    it("belongs to one queue, and runs once", function()
        local runs, gate = 0, Gate "gate"
        local op = Operation(function() runs = runs + 1 await(gate) end)
        local queue = OperationQueue()
        queue:addOperation(op)
        assert.has_error(function() OperationQueue():addOperation(op) end)
        assert.has_error(function() op:start() end)
        gate:finish()
        queue:waitUntilAllOperationsAreFinished()
        assert.has_error(function() queue:addOperation(op) end)
        assert.equals(1, runs)
    end)
end)
