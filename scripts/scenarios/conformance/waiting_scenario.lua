-- Waiting for operations and gates.
describe("await", function()
    it("gives the results, or raises the error", function()
        local good = async(function() sleep(0.001) return 1, 2 end)
        local bad = async(function() sleep(0.001) error("no", 0) end)
        assert.same({ 1, 2 }, { await(good) })
        local ok, problem = pcall(await, bad)
        assert.is_false(ok)
        assert.equals("no", problem.message)
        assert.same({ true, 1, 2 }, { pawait(good) })
    end)

    it("returns all results by place, in any order of ends", function()
        local all = {}
        for place = 1, 4 do all[place] = async(function() sleep(0.001) return place end) end
        assert.same({ 1, 2, 3, 4 }, await.all(all))
    end)

    it("raises the first error by place, when all have ended", function()
        local all, gate = {}, Gate "gate"
        for place = 1, 4 do
            all[place] = async(function()
                sleep(0.001)
                if place > 1 then error("error " .. place, 0) end
                sleep(0.001)
            end)
        end
        local ok, problem = pcall(await.all, all)
        assert.is_false(ok)
        assert.equals("error 2", problem.message)
        assert.is_true(all[1].isFinished)
    end)

    it("gives the first one that ends, and its place", function()
        local ended
        local gate = Gate "gate"
        local all = { async(function() await(gate) end) }
        for place = 2, 3 do
            all[place] = async(function() sleep(0.001) end)
            all[place].completionBlock = function() ended = ended or place end
        end
        local op, place = await.any(all)
        assert.equals(ended, place)
        assert.equals(all[place], op)
        gate:finish()
        await.settled(all)
        for _, each in ipairs(all) do assert.is_true(each.isFinished) end
    end)

    it("takes along what it depends on", function()
        local log = {}
        local function stage(name, ...)
            return Operation { name = name, dependencies = { ... }, main = function() log[#log + 1] = name end }
        end
        local a = stage("a")
        await(stage("c", stage("b", a)))
        assert.same({ "a", "b", "c" }, log)
    end)

    it("of a queue returns when all its operations have ended, including those added meanwhile", function()
        local queue, ended = OperationQueue(), 0
        queue:addOperation(function()
            sleep(0.001)
            queue:addOperation(function() sleep(0.001) ended = ended + 1 end)
            ended = ended + 1
        end)
        queue:waitUntilAllOperationsAreFinished()
        assert.equals(2, ended)
    end)

    it("returns when observers and completion block were called", function()
        local called = 0
        local op = Operation { main = function() sleep(0.001) end, completionBlock = function() called = called + 1 end }
        op:observe("isFinished", function() called = called + 1 end)
        await(op)
        assert.equals(2, called)
    end)
end)

describe("a wait with a time limit", function()
    it("returns false when the time is over, and the operation continues", function()
        local gate = Gate "gate"
        local op = async(function() await(gate) end)
        assert.is_false(op:waitUntilFinished(0.01))
        assert.is_true(op.isExecuting)
        gate:finish()
        assert.is_true(op:waitUntilFinished(600))
    end)

    it("says what is true at the moment of the end", function()
        local op = async(function() sleep(0.01) end)
        local inTime = op:waitUntilFinished(0.01)
        if inTime then assert.is_true(op.isFinished) end
        op:waitUntilFinished()
    end)
end)

describe("a gate", function()
    it("resumes all its waiters, in the order of waiting", function()
        local gate, log, all = Gate "gate", {}, {}
        for place = 1, 4 do
            all[place] = async(function()
                await(gate)
                log[#log + 1] = place
            end)
        end
        sleep(0)
        gate:finish("open")
        await.all(all)
        assert.same({ 1, 2, 3, 4 }, log)
        assert.equals("open", await(gate))
    end)

    it("ends once", function()
        local gate, all = Gate "gate", {}
        for place = 1, 3 do
            all[place] = async(function()
                sleep(0.001)
                gate:finish(place)
            end)
        end
        local first = await(gate)
        await.all(all)
        assert.equals(first, gate.result)
    end)

    it("that nothing can end raises in its waiter", function()
        local _, problem = pcall(await, Gate "never")
        assert.equals("deadlock", problem.code)
        assert.matches("never", problem.message)
    end)
end)

describe("turns", function()
    it("are first in, first out", function()
        local log, all = {}, {}
        for place = 1, 3 do
            all[place] = async(function()
                for round = 1, 3 do
                    log[#log + 1] = place
                    sleep(0)
                end
            end)
        end
        await.all(all)
        assert.same({ 1, 2, 3, 1, 2, 3, 1, 2, 3 }, log)
    end)
end)
