-- The values that assertions take and refuse. A refusal is checked as results show it.
local function refusal(fn)
    local ok, raised = pcall(fn)
    if ok then error("it holds", 2) end
    if type(raised) ~= "table" or not raised.message then return tostring(raised) end
    local text = raised.place .. ": " .. raised.message
    if raised.expected then text = text .. "\nexpected: " .. raised.expected end
    if raised.actual then text = text .. "\nactual: " .. raised.actual end
    return text
end

describe("assert", function()
    it("is Lua's own when it is called", function()
        local a, b, c = assert(1, 2, 3)
        assert.same({ 1, 2, 3 }, { a, b, c })
        assert.matches("assertions_spec.lua:%d+: assertion failed!", refusal(function() assert(nil) end))
        assert.matches("assertions_spec.lua:%d+: words$", refusal(function() assert(false, "words") end))
        local object = {}
        local ok, raised = pcall(function() assert(false, object) end)
        assert.is_false(ok)
        assert.equals(object, raised)
    end)

    it("knows truth", function()
        assert.is_true(true)
        assert.True(true)
        assert.is.True(true)
        assert.is_false(false)
        assert.is_not_true(1)
        assert.is_not.False(nil)
        assert.truthy(0)
        assert.is_falsy(nil)
        assert.is_nil(nil)
        assert.is_not_nil(false)
        assert.has_error(function() assert.is_true(1) end)
        assert.has_error(function() assert.is_false(nil) end)
        assert.has_error(function() assert.is_not_nil(nil) end)
        assert.has_error(function() assert.falsy(0) end)
        assert.matches("1 is not true", refusal(function() assert.is_true(1) end))
        assert.matches("nil is nil", refusal(function() assert.is_not_nil() end), 1, true)
    end)

    it("knows types", function()
        assert.is_string("")
        assert.is_number(1)
        assert.is_table {}
        assert.is_function(print)
        assert.is_boolean(false)
        assert.is_thread(coroutine.create(print))
        assert.is_userdata(OperationQueue.main)
        assert.is_not_string(1)
        assert.matches('"x" is not a number', refusal(function() assert.is_number("x") end))
    end)

    it("compares by identity and by contents", function()
        local t = {}
        assert.equals(t, t)
        assert.are.equal(1, 1.0)
        assert.are_not.equal({}, {})
        assert.same({ 1, { x = "y" }, [true] = 2 }, { 1, { x = "y" }, [true] = 2 })
        assert.are_not.same({ 1, 2 }, { 1, 2, 3 })
        assert.are_not.same({ 1, 2, 3 }, { 1, 2 })
        assert.is_not.same({ false }, {})
        local a, b = {}, {}
        a.self, b.self = a, b
        assert.same(a, b)
        assert.not_same(a, { self = { self = 1 } })
        assert.matches("differ at list[2].name: expected \"b\", got nil", refusal(function()
            assert.same({ list = { 1, { name = "b" } } }, { list = { 1, {} } })
        end), 1, true)
        assert.matches("expected: 1\nactual: 2", refusal(function() assert.equals(1, 2) end), 1, true)
    end)

    it("uses __eq where both sides have it", function()
        local mt = { __eq = function(x, y) return x.id == y.id end }
        assert.same(setmetatable({ id = 1, a = 1 }, mt), setmetatable({ id = 1, a = 2 }, mt))
        assert.are_not.same(setmetatable({ id = 1 }, mt), setmetatable({ id = 2 }, mt))
    end)

    it("knows what is near", function()
        assert.near(1, 1.1, 0.2)
        assert.is_not.near(1, 1.5, 0.2)
        assert.matches("the difference is 0.5, and 0.2 is allowed", refusal(function() assert.near(1, 1.5, 0.2) end), 1, true)
    end)

    it("knows what stands there once", function()
        assert.is_unique { 1, 2, 3 }
        assert.is_not.unique { 1, 2, 1 }
        assert.is_not.unique({ { 1 }, { 1 } }, true)
    end)

    it("looks at errors", function()
        assert.has_error(function() error("boom") end)
        assert.has_error(function() error("boom") end, "boom")
        assert.has.errors(function() error({ code = 3 }) end, { code = 3 })
        assert.has_no.errors(function() end)
        assert.has_no_error(function() end)
        assert.error_matches(function() error("boom 12") end, "boom %d+")
        assert.has_error(function() await(work.sleep(-1)) end)
        assert.matches("no error was raised", refusal(function() assert.has_error(function() end) end))
        assert.matches("another error was raised", refusal(function()
            assert.has_error(function() error("a") end, "b")
        end))
        assert.matches("an error was raised", refusal(function() assert.has_no.errors(function() error("a") end) end))
    end)

    it("may wait in what it calls", function()
        assert.has_error(function() sleep(3) error("late") end, "late")
        assert.equals(3, clock.now())
    end)

    it("takes a message", function()
        assert.matches("the sum\n1 is not true", refusal(function() assert.is_true(1, "the sum") end), 1, true)
        assert.matches("the sum\n", refusal(function() assert.message("the sum").equals(1, 2) end), 1, true)
    end)

    it("names wrong calls", function()
        assert.matches("assert has no 'is_treu' (did you mean 'true'?)", refusal(function() assert.is_treu(1) end), 1, true)
        assert.matches("assert.equals takes 2 arguments, got 0", refusal(function() assert.equals() end), 1, true)
        assert.matches("takes a function, got number", refusal(function() assert.has_error(1) end), 1, true)
    end)

    it("can be taught", function()
        assert:register("assertion", "even", function(_, arguments) return arguments[1] % 2 == 0 end)
        assert.is_even(2)
        assert.is_not_even(3)
        assert.matches("'even' does not hold for 3", refusal(function() assert.is_even(3) end), 1, true)
    end)
end)

describe("match", function()
    it("stands for values in comparisons", function()
        assert.same({ name = match.is_string(), at = match._ }, { name = "x", at = clock.now() })
        assert.are_not.same({ name = match.is_string() }, { name = 1 })
        assert.same({ match.is_not_nil(), match.is_near(1, 0.5) }, { 0, 1.2 })
        assert.same({ match.is_any_of(match.is_equal(1), match.is_equal(2)), match.matches("^a") }, { 2, "abc" })
        local object = {}
        assert.same({ match.is_ref(object) }, { object })
        assert.are_not.same({ match.is_ref(object) }, { {} })
    end)
end)
