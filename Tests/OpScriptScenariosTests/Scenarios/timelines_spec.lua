-- Recorded events and their times.
local function two(width)
    local queue = OperationQueue { name = "io", maxConcurrentOperationCount = width }
    local a = queue:addOperation(Operation { name = "a", main = function() sleep(2) end })
    local b = queue:addOperation(Operation { name = "b", main = function() sleep(3) end })
    queue:waitUntilAllOperationsAreFinished()
    return a, b
end

describe("assert.timeline", function()
    it("compares what happened with a list", function()
        two(1)
        assert.timeline { { 0, "start a" }, { 2, "finish a" }, { 2, "start b" }, { 5, "finish b" } }
        assert.timeline { { 0, "start a" }, { 2, "start b" } }
        assert.is_not.timeline { { 0, "start a" } }
        assert.is_not.timeline { { 0, "start a" }, { 3, "start b" } }
        assert.is_not.timeline {}
    end)

    it("compares it with a drawing", function()
        two(1)
        assert.timeline "a-b--|"
        assert.timeline("a---b-----|", { unit = 0.5 })
        assert.is_not.timeline "ab---|"
        assert.is_not.timeline "a-b-|"
        assert.timeline("s-f--e", { s = "start a", f = "finish a", e = "finish b" })
    end)

    it("draws what was recorded", function()
        sleep(7)
        local recording = record()
        two(1)
        assert.equals("a-b--|", recording:draw())
        assert.equals("a---b-----|", recording:draw { unit = 0.5 })
        assert.equals("|", record():draw())
    end)

    it("draws what comes together in brackets", function()
        two(2)
        assert.timeline "(ab)--|"
        assert.timeline "(ba)--|"
        assert.is_not.timeline "(ab)-|"
    end)

    it("knows how operations end", function()
        local queue = OperationQueue { name = "q" }
        local a = Operation { name = "a", main = function() sleep(1) error("no") end, allowsFailure = true }
        local b = Operation { name = "b", main = function() end }
        b:addDependency(a)
        local c = Operation { name = "c", main = function() sleep(9) end }
        queue:addOperations { a, b, c }
        sleep(2)
        c:cancel()
        queue:waitUntilAllOperationsAreFinished()
        assert.timeline { { 1, "fail a" }, { 1, "skip b" }, { 2, "cancel c" } }
    end)

    it("knows fires of timers, and marks", function()
        local recording = record()
        Timer.scheduledTimer { interval = 2, block = function() record "tick" end }
        sleep(3)
        assert.timeline { { 2, "fire timer" }, { 2, "tick" } }
        recording:mark("own")
        assert.timeline(recording, { { 3, "own" } })
        assert.equals("---?|", recording:draw())
    end)

    it("shows both", function()
        two(1)
        assert.error_matches(function() assert.timeline { { 0, "start a" } } end,
            "expected: 0  start a\nactual: 0  start a\n2  start b", 1, true)
        assert.error_matches(function() assert.timeline "b|" end, "expected: b|\nactual: --b--|", 1, true)
    end)

    it("names wrong calls", function()
        assert.error_matches(function() assert.timeline(1) end, "takes a list", 1, true)
        assert.error_matches(function() assert.timeline { { "a" } } end, "entry 1 of the timeline", 1, true)
        assert.error_matches(function() assert.timeline "a!|" end, "'!' is unknown in the timeline", 1, true)
        assert.error_matches(function() assert.timeline "(a" end, "'(' without ')'", 1, true)
    end)
end)

describe("assert.order and assert.parallel", function()
    it("tell one after the other from both at once", function()
        local a, b = two(1)
        assert.order(a, b)
        assert.order("a", "b")
        assert.order("finish a", "start b")
        assert.is_not.order(b, a)
        assert.is_not.parallel(a, b)
        assert.error_matches(function() assert.order(b, a) end, "'b' was not over when 'a' began", 1, true)
        assert.error_matches(function() assert.parallel(a, b) end, "did not run at the same time", 1, true)
        assert.error_matches(function() assert.order(a, "zzz") end, "'zzz' never began", 1, true)
    end)

    it("tell both at once", function()
        local a, b = two(2)
        assert.parallel(a, b)
        assert.is_not.order(a, b)
    end)
end)

describe("eventually", function()
    it("asks until it comes true", function()
        local isThere = false
        Timer.scheduledTimer { interval = 3, block = function() isThere = "yes" end }
        assert.equals("yes", eventually(function() return isThere end))
        assert.near(3, clock.now(), 0.05)
    end)

    it("takes assertions", function()
        local list = {}
        Timer.scheduledTimer { interval = 1, block = function() list[1] = 1 end }
        eventually(function() assert.same({ 1 }, list) end)
    end)

    it("gives up", function()
        assert.error_matches(function() eventually(function() return false end, { timeout = 2 }) end,
            "did not come true within 2 s; the last time: it returned false", 1, true)
        assert.near(2, clock.now(), 0.05)
    end)

    it("refuses options that it does not know", function()
        assert.error_matches(function() eventually(function() return true end, { timeuot = 2 }) end,
            "eventually has no option 'timeuot' (there are 'timeout', 'interval')", 1, true)
        assert.error_matches(function() record():draw { unti = 2 } end, "draw has no option 'unti'", 1, true)
        assert.error_matches(function() assert.timeline({}, { unitt = 1 }) end, "no option 'unitt'", 1, true)
        assert.error_matches(function() assert.timeline("|", { aa = "b" }) end, "no option 'aa'", 1, true)
        -- A letter of a drawing represents the text that it is given.
        assert.timeline("|", { a = "mark" })
    end)
end)
