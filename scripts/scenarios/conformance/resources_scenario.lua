-- Named amounts that operations of all queues share.
describe("a resource", function()
    it("is never taken beyond its total, and used in full", function()
        OperationQueue.setResource("gpu", 3)
        local taken, most = 0, 0
        local one, two = OperationQueue(), OperationQueue()
        for place = 1, 8 do
            local amount = place % 2 + 1
            (place % 3 == 0 and one or two):addOperation(Operation { resources = { gpu = amount }, main = function()
                taken = taken + amount
                most = math.max(most, taken)
                sleep(0.001)
                taken = taken - amount
            end })
        end
        one:waitUntilAllOperationsAreFinished()
        two:waitUntilAllOperationsAreFinished()
        assert.equals(3, most)
    end)

    it("is given back however its holder ends", function()
        OperationQueue.setResource("disk", 1)
        local function holder(main, timeout)
            return Operation { resources = { disk = 1 }, allowsFailure = true, timeout = timeout, main = main }
        end
        local queue, ran = OperationQueue(), false
        local cancelled = holder(function() sleep(600) end)
        cancelled:observe("isExecuting", function(change) if change.new then cancelled:cancel() end end)
        queue:addOperation(holder(function() sleep(0.001) end))
        queue:addOperation(holder(function() error("x") end))
        queue:addOperation(cancelled)
        queue:addOperation(holder(function() sleep(600) end, 0.01))
        queue:addOperation(holder(function() ran = true end))
        queue:waitUntilAllOperationsAreFinished()
        assert.is_true(ran)
        assert.equals("cancelled", cancelled.outcome)
    end)

    it("is served first come, first served", function()
        OperationQueue.setResource("desk", 1)
        local log, gate = {}, Gate "gate"
        local queues = { OperationQueue(), OperationQueue() }
        queues[1]:addOperation(Operation { resources = { desk = 1 }, main = function() await(gate) end })
        for place = 1, 6 do
            queues[place % 2 + 1]:addOperation(Operation { resources = { desk = 1 }, main = function()
                log[#log + 1] = place
                sleep(0.001)
            end })
        end
        sleep(0)
        gate:finish()
        for _, queue in ipairs(queues) do queue:waitUntilAllOperationsAreFinished() end
        assert.same({ 1, 2, 3, 4, 5, 6 }, log)
    end)

    it("is taken together with others, so that no operation waits for ever", function()
        OperationQueue.setResource("left", 1)
        OperationQueue.setResource("right", 1)
        local both, ended = 0, 0
        local one, two = OperationQueue(), OperationQueue()
        for place = 1, 6 do
            (place % 2 == 0 and one or two):addOperation(Operation { resources = { left = 1, right = 1 }, main = function()
                both = both + 1
                assert.equals(1, both)
                sleep(0.001)
                both = both - 1
                ended = ended + 1
            end })
        end
        one:waitUntilAllOperationsAreFinished()
        two:waitUntilAllOperationsAreFinished()
        assert.equals(6, ended)
    end)

    it("is not kept for an operation that waits for its turn below a target", function()
        OperationQueue.setResource("pen", 1)
        local serial = DispatchQueue { label = "serial" }
        local queue = DispatchQueue { label = "queue", attributes = "concurrent", target = serial }
        local inside = Operation { resources = { pen = 1 }, queuePriority = "low", main = function() end }
        queue:async(GroupOperation { inside })
        -- It goes before the operation in the group, which has the turn.
        local last = Operation { resources = { pen = 1 }, main = function() end }
        queue:async(last)
        assert.is_true(last:waitUntilFinished(10))
        assert.is_true(inside.isFinished)
    end)

    it("does not delay operations that do not need it", function()
        OperationQueue.setResource("lamp", 1)
        local queue, gate, ran = OperationQueue(), Gate "gate", false
        queue:addOperation(Operation { resources = { lamp = 1 }, main = function() await(gate) end })
        queue:addOperation(Operation { resources = { lamp = 1 }, main = function() end })
        local free = queue:addOperation(function() ran = true end)
        free:waitUntilFinished()
        assert.is_true(ran)
        gate:finish()
        queue:waitUntilAllOperationsAreFinished()
    end)
end)
