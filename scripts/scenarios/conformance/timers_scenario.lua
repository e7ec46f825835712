-- Timers.
describe("a timer", function()
    local function note(log, text) return function() log[#log + 1] = text end end

    it("that is due sooner fires sooner, and equal ones in the order of scheduling", function()
        local log, due = {}, {}
        for place, interval in ipairs { 0.03, 0.01, 0.02, 0.01, 0.01 } do
            local timer = Timer.scheduledTimer { interval = interval, block = function() log[#log + 1] = place end }
            -- On the real clock they are scheduled one after the other.
            due[place] = { timer.fireDate, place }
        end
        table.sort(due, function(a, b)
            if a[1] ~= b[1] then return a[1] < b[1] end
            return a[2] < b[2]
        end)
        eventually(function() assert.equals(5, #log) end, { timeout = 50 })
        if clock.isVirtual then return assert.same({ 2, 4, 5, 3, 1 }, log) end
        for place, entry in ipairs(due) do assert.equals(entry[2], log[place]) end
    end)

    it("fires no sooner than one interval after it was scheduled", function()
        local begun, waited = clock.now(), nil
        Timer.scheduledTimer { interval = 0.02, block = function() waited = clock.now() - begun end }
        eventually(function() assert.is_true(waited > 0.0199) end, { timeout = 50 })
    end)

    it("repeats until it is invalidated from its own block", function()
        local counts, timer = {}, nil
        timer = Timer.scheduledTimer { interval = 0.002, repeats = true, block = function(timer)
            counts[#counts + 1] = timer.fireCount
            if timer.fireCount == 4 then timer:invalidate() end
        end }
        eventually(function() assert.is_false(timer.isValid) end, { timeout = 50 })
        sleep(0.01)
        assert.same({ 1, 2, 3, 4 }, counts)
    end)

    it("never fires after it was invalidated, even if it is due at this moment", function()
        local timer, isOver
        timer = Timer.scheduledTimer { interval = 0.01, repeats = true, block = function() assert.is_nil(isOver) end }
        local ender = async(function()
            sleep(0.03)
            isOver = true
            timer:invalidate()
        end)
        await(ender)
        sleep(0.03)
        assert.is_false(timer.isValid)
    end)

    it("does not fire while its block still waits", function()
        local inside, most, timer = 0, 0, nil
        timer = Timer.scheduledTimer { interval = 0.001, repeats = true, block = function(timer)
            inside = inside + 1
            most = math.max(most, inside)
            sleep(0.0035)
            inside = inside - 1
            if timer.fireCount == 3 then timer:invalidate() end
        end }
        eventually(function() assert.is_true(not timer.isValid and inside == 0) end, { timeout = 50 })
        assert.equals(1, most)
        assert.is_true(timer.missedCount > 0)
    end)

    it("fired by hand runs before the call returns", function()
        local log = {}
        local timer = Timer.scheduledTimer { interval = 600, repeats = true, block = note(log, "fired") }
        timer:fire()
        log[#log + 1] = "returned"
        timer:invalidate()
        timer:fire()
        assert.same({ "fired", "returned" }, log)
    end)

    it("submits an operation at each fire, one after the other", function()
        local queue, ran, inside = OperationQueue(), 0, 0
        local timer = Timer.scheduledTimer { interval = 0.002, repeats = true, queue = queue, operation = function()
            return Operation(function()
                inside = inside + 1
                assert.equals(1, inside)
                sleep(0.003)
                inside, ran = inside - 1, ran + 1
            end)
        end }
        eventually(function() assert.is_true(ran >= 3) end, { timeout = 50 })
        timer:invalidate()
        queue:waitUntilAllOperationsAreFinished()
    end)
end)
