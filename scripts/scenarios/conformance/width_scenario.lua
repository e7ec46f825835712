-- How many of a queue execute at once.
describe("a width", function()
    -- Counts the operations inside, and their maximum.
    local function meter()
        local m = { now = 0, most = 0 }
        function m.enter() m.now = m.now + 1 m.most = math.max(m.most, m.now) end
        function m.leave() m.now = m.now - 1 end
        return m
    end

    for _, width in ipairs { 1, 2, 3 } do
        it("of " .. width .. " is never exceeded, and used in full", function()
            local m, queue = meter(), OperationQueue { maxConcurrentOperationCount = width }
            for _ = 1, 7 do
                queue:addOperation(function()
                    m.enter()
                    sleep(0.001)
                    m.leave()
                end)
            end
            queue:waitUntilAllOperationsAreFinished()
            assert.equals(width, m.most)
        end)
    end

    it("holds for closures too", function()
        local m, queue = meter(), OperationQueue { maxConcurrentOperationCount = 2 }
        for place = 1, 5 do
            local op = place % 2 == 0 and work.sleep(0.001) or Operation(function() sleep(0.001) end)
            op:observe("isExecuting", function(change) if change.new then m.enter() else m.leave() end end)
            queue:addOperation(op)
        end
        queue:waitUntilAllOperationsAreFinished()
        sleep(0)
        assert.is_true(m.most <= 2)
        assert.equals(0, m.now)
    end)

    it("lets as many run as it says, which can wait for each other", function()
        local queue, gate, here = OperationQueue { maxConcurrentOperationCount = 3 }, Gate "all here", 0
        for _ = 1, 3 do
            queue:addOperation(function()
                here = here + 1
                if here == 3 then gate:finish() end
                await(gate)
            end)
        end
        queue:waitUntilAllOperationsAreFinished()
        assert.equals(3, here)
    end)

    it("gives a slot to the next one while others still execute", function()
        local queue, gate = OperationQueue { maxConcurrentOperationCount = 2 }, Gate "gate"
        local long = queue:addOperation(function() await(gate) end)
        queue:addOperation(function() sleep(0.001) end)
        -- Only this one lets the long one end.
        queue:addOperation(function() gate:finish() end)
        queue:waitUntilAllOperationsAreFinished()
        assert.equals("succeeded", long.outcome)
    end)

    it("of none lets all run", function()
        local queue, gate, here = OperationQueue(), Gate "all here", 0
        for _ = 1, 20 do
            queue:addOperation(function()
                here = here + 1
                if here == 20 then gate:finish() end
                await(gate)
            end)
        end
        queue:waitUntilAllOperationsAreFinished()
        assert.equals(20, here)
    end)

    it("of 0 starts nothing until it is raised", function()
        local queue, ran = OperationQueue { maxConcurrentOperationCount = 0 }, 0
        for _ = 1, 3 do queue:addOperation(function() ran = ran + 1 end) end
        sleep(0.002)
        assert.equals(0, ran)
        queue.maxConcurrentOperationCount = 1
        queue:waitUntilAllOperationsAreFinished()
        assert.equals(3, ran)
    end)

    it("that is raised lets more run, and lowered interrupts nothing", function()
        local queue, m = OperationQueue { maxConcurrentOperationCount = 1 }, meter()
        local gates = {}
        for place = 1, 4 do
            gates[place] = Gate("gate " .. place)
            queue:addOperation(function()
                m.enter()
                await(gates[place])
                m.leave()
            end)
        end
        sleep(0)
        assert.equals(1, m.now)
        queue.maxConcurrentOperationCount = 3
        sleep(0)
        assert.equals(3, m.now)
        queue.maxConcurrentOperationCount = 1
        sleep(0)
        assert.equals(3, m.now)
        gates[1]:finish()
        gates[2]:finish()
        sleep(0)
        sleep(0)
        assert.equals(1, m.now)
        gates[3]:finish()
        gates[4]:finish()
        queue:waitUntilAllOperationsAreFinished()
        assert.equals(3, m.most)
    end)

    it("counts operations that wait in their bodies", function()
        local queue, gate, ran = OperationQueue { maxConcurrentOperationCount = 1 }, Gate "gate", false
        queue:addOperation(function() await(gate) end)
        queue:addOperation(function() ran = true end)
        sleep(0.002)
        assert.is_false(ran)
        gate:finish()
        queue:waitUntilAllOperationsAreFinished()
        assert.is_true(ran)
    end)

    it("of the main queue is one", function()
        local m = meter()
        for _ = 1, 4 do
            OperationQueue.main:addOperation(function()
                m.enter()
                sleep(0.001)
                m.leave()
            end)
        end
        OperationQueue.main:waitUntilAllOperationsAreFinished()
        assert.equals(1, m.most)
    end)
end)
