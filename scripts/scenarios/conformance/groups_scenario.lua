-- Operations around an inner queue.
describe("a group", function()
    it("ends after all operations inside, including those added while it runs", function()
        local ended, group = 0, nil
        local function inside()
            sleep(0.001)
            ended = ended + 1
        end
        group = GroupOperation { function()
            sleep(0.001)
            group:addOperation(inside)
            group:addOperation(inside)
            ended = ended + 1
        end, inside }
        group.completionBlock = function() assert.equals(4, ended) end
        await(group)
        assert.equals(4, ended)
    end)

    it("starts nothing inside before it starts itself", function()
        local gate, ran = Gate "gate", false
        local group = GroupOperation { function() ran = true end }
        group:addDependency(gate)
        OperationQueue():addOperation(group)
        sleep(0.002)
        assert.is_false(ran)
        gate:finish()
        group:waitUntilFinished()
        assert.is_true(ran)
    end)

    it("has a width of its own, and what is inside takes none of the outer slots", function()
        local now, most, gate = 0, 0, Gate "gate"
        local function inside()
            now = now + 1
            most = math.max(most, now)
            sleep(0.001)
            now = now - 1
        end
        local queue = OperationQueue { maxConcurrentOperationCount = 1 }
        queue:addOperation(GroupOperation { inside, inside, inside, inside, inside, maxConcurrentOperationCount = 2 })
        queue:waitUntilAllOperationsAreFinished()
        assert.equals(2, most)
    end)

    it("that is cancelled cancels all operations inside, and ends", function()
        local ran = 0
        local inside = {}
        for place = 1, 3 do inside[place] = Operation(function() ran = ran + 1 sleep(600) end) end
        local group = GroupOperation { inside[1], inside[2], inside[3], maxConcurrentOperationCount = 1 }
        OperationQueue():addOperation(group)
        repeat sleep(0) until ran == 1
        group:cancel()
        group:waitUntilFinished()
        assert.equals(1, ran)
        assert.equals("cancelled", group.outcome)
        for _, op in ipairs(inside) do assert.equals("cancelled", op.outcome) end
    end)

    it("fails when one inside fails, unless that may", function()
        local function bad() return Operation { name = "bad", main = function() sleep(0.001) error("x") end } end
        local allowed = bad()
        allowed.allowsFailure = true
        local strict, mild = GroupOperation { bad(), function() sleep(0.001) end }, GroupOperation { allowed }
        await.settled { strict, mild }
        assert.same({ "failed", "succeeded" }, { strict.outcome, mild.outcome })
    end)

    it("keeps dependencies inside", function()
        local log = {}
        local a = Operation(function() sleep(0.001) log[#log + 1] = "a" end)
        local b = Operation(function() log[#log + 1] = "b" end)
        b:addDependency(a)
        await(GroupOperation { b, a })
        assert.same({ "a", "b" }, log)
    end)

    it("whose last two end in one moment ends once", function()
        local ends = 0
        local group = GroupOperation { function() sleep(0.001) end, function() sleep(0.001) end, work.sleep(0.001) }
        group.completionBlock = function() ends = ends + 1 end
        await(group)
        sleep(0.002)
        assert.equals(1, ends)
    end)
end)
