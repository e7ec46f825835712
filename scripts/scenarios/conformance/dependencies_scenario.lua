-- Dependencies, and the outcomes of dependents.
local function nothing() end

describe("a dependency", function()
    it("holds back until the last of several has finished, whichever that is", function()
        local ended = {}
        local function stage(name)
            return Operation { name = name, main = function() sleep(0.001) ended[name] = true end }
        end
        local a, b, c = stage "a", stage "b", stage "c"
        local last = Operation { name = "last", dependencies = { a, b, c }, main = function()
            assert.same({ a = true, b = true, c = true }, ended)
        end }
        OperationQueue():addOperations({ last, c, b, a }, true)
        assert.equals("succeeded", last.outcome)
    end)

    it("holds across queues", function()
        local log = {}
        local one, two = OperationQueue { maxConcurrentOperationCount = 1 }, OperationQueue { maxConcurrentOperationCount = 1 }
        local first = Operation { name = "first", main = function() sleep(0.001) log[#log + 1] = "first" end }
        local second = Operation { name = "second", main = function() log[#log + 1] = "second" end }
        second:addDependency(first)
        two:addOperation(second)
        one:addOperation(first)
        two:waitUntilAllOperationsAreFinished()
        assert.same({ "first", "second" }, log)
    end)

    it("keeps a diamond in order", function()
        local log = {}
        local function stage(name, ...)
            return Operation { name = name, dependencies = { ... }, main = function()
                sleep(0.001)
                log[#log + 1] = name
            end }
        end
        local top = stage "top"
        local left, right = stage("left", top), stage("right", top)
        local bottom = stage("bottom", left, right)
        OperationQueue():addOperations({ bottom, right, left, top }, true)
        assert.equals("top", log[1])
        assert.equals("bottom", log[4])
    end)

    -- The outcome of a dependent, by the end of the other and by the condition.
    local expected = {
        notFailed = { good = "succeeded", gone = "succeeded", quiet = "succeeded", bad = "skipped", skipped = "skipped" },
        succeeded = { good = "succeeded", gone = "skipped", quiet = "skipped", bad = "skipped", skipped = "skipped" },
        finished = { good = "succeeded", gone = "succeeded", quiet = "succeeded", bad = "succeeded", skipped = "succeeded" },
        failed = { good = "skipped", gone = "skipped", quiet = "skipped", bad = "succeeded", skipped = "succeeded" },
    }
    for _, condition in ipairs { "notFailed", "succeeded", "finished", "failed" } do
        it("with the condition '" .. condition .. "' lets run what it should", function()
            local others = {
                good = Operation(function() sleep(0.001) end),
                bad = Operation { allowsFailure = true, main = function() sleep(0.001) error("x") end },
                gone = Operation(nothing), skipped = Operation(nothing), quiet = Operation(nothing),
            }
            others.skipped:addDependency(others.bad)
            others.quiet:addDependency(others.good, "failed")
            others.gone:cancel()
            local queue, dependents, ran = OperationQueue(), {}, {}
            for _, name in ipairs { "good", "gone", "quiet", "bad", "skipped" } do
                local op = Operation { name = "after " .. name, main = function() ran[name] = true end }
                op:addDependency(others[name], condition)
                dependents[name] = queue:addOperation(op)
            end
            queue:addOperations { others.good, others.bad, others.gone, others.skipped, others.quiet }
            queue:waitUntilAllOperationsAreFinished()
            local outcomes = {}
            for name, op in pairs(dependents) do
                outcomes[name] = op.outcome
                assert.equals(op.outcome == "succeeded", ran[name] == true)
                -- Skipped quietly, it has no error; otherwise the error names the dependency that prevented it.
                assert.equals(op.outcome == "skipped" and condition ~= "failed", op.error ~= nil)
            end
            assert.same(expected[condition], outcomes)
        end)
    end

    it("is decided when all have finished, and an error outweighs quiet", function()
        local gate = Gate "gate"
        local good = Operation(nothing)
        local bad = Operation { name = "bad", allowsFailure = true, main = function() error("x") end }
        local late = Operation(function() await(gate) end)
        local op = Operation { name = "op", main = nothing }
        op:addDependency(good, "failed")
        op:addDependency(bad)
        op:addDependency(late)
        local queue = OperationQueue()
        queue:addOperations { op, good, bad, late }
        bad:waitUntilFinished()
        sleep(0)
        assert.is_nil(op.outcome)
        gate:finish()
        queue:waitUntilAllOperationsAreFinished()
        assert.equals("skipped", op.outcome)
        assert.matches("bad", op.error.message)
    end)

    it("on a skipped operation continues along a chain", function()
        local ran = 0
        local chain = { Operation { allowsFailure = true, main = function() sleep(0.001) error("x") end } }
        for place = 2, 6 do
            chain[place] = Operation(function() ran = ran + 1 end)
            chain[place]:addDependency(chain[place - 1])
        end
        OperationQueue():addOperations(chain, true)
        for place = 2, 6 do assert.equals("skipped", chain[place].outcome) end
        assert.equals(0, ran)
    end)

    it("is released by one that is cancelled while it waits itself", function()
        local gate, ran = Gate "gate", false
        local first = Operation(function() await(gate) end)
        local middle, last = Operation(nothing), Operation(function() ran = true end)
        middle:addDependency(first)
        last:addDependency(middle)
        local queue = OperationQueue()
        queue:addOperations { first, middle, last }
        middle:cancel()
        last:waitUntilFinished()
        assert.is_true(ran and not first.isFinished)
        gate:finish()
        queue:waitUntilAllOperationsAreFinished()
    end)

    it("that is removed no longer counts", function()
        local gate, ran = Gate "gate", {}
        local slow = Operation(function() await(gate) end)
        local bad = Operation { allowsFailure = true, main = function() error("x") end }
        local free = Operation(function() ran.free = true end)
        local both = Operation(function() ran.both = true end)
        free:addDependency(slow)
        both:addDependency(slow)
        both:addDependency(bad)
        local queue = OperationQueue()
        queue:addOperations { slow, bad, free, both }
        free:removeDependency(slow)
        both:removeDependency(bad)
        free:waitUntilFinished()
        bad:waitUntilFinished()
        assert.same({ free = true }, ran)
        gate:finish()
        queue:waitUntilAllOperationsAreFinished()
        assert.is_true(ran.both)
    end)

    it("on a gate ends by the gate", function()
        local gate, ran = Gate "gate", false
        local op = Operation(function() ran = true end)
        op:addDependency(gate)
        OperationQueue.default:addOperation(op)
        sleep(0)
        assert.is_false(ran)
        async(function()
            sleep(0.001)
            gate:finish()
        end)
        op:waitUntilFinished()
        assert.is_true(ran)
    end)

    it("that would close a cycle is refused, and nothing is changed", function()
        local a, b, c = Operation(nothing), Operation(nothing), Operation(nothing)
        b:addDependency(a)
        c:addDependency(b)
        local _, problem = pcall(a.addDependency, a, c)
        assert.equals("cycle", problem.code)
        OperationQueue():addOperations({ c, b, a }, true)
        assert.equals("succeeded", c.outcome)
    end)

    it("of an argument gives the result", function()
        local numbers = async(function() sleep(0.001) return { 3, 4 } end)
        local text = work.json.encode(numbers)
        assert.equals("[3,4]", await(text))
    end)
end)
