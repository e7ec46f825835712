-- The texts of failed assertions for code that catches them. The sentences may be those of an installed luassert; the
-- parts, and their order, are always the same.
local function caught(fn, ...)
    local ok, raised = pcall(fn, ...)
    if ok then error("it holds", 2) end
    return tostring(raised)
end
local function hasParts(text, ...)
    local from = 1
    for _, part in ipairs { ... } do
        local _, last = text:find(part, from, true)
        if not last then error(("no %q in %q"):format(part, text), 2) end
        from = last + 1
    end
end

describe("the text of a failure", function()
    it("names what came, then what was expected", function()
        hasParts(caught(assert.equals, nil, "x"), "\nPassed in:\n(string) 'x'\nExpected:\n(nil)")
        hasParts(caught(assert.is_not.equals, 1, 1), "\nPassed in:\n(number) 1\nDid not expect:\n(number) 1")
        hasParts(caught(assert.is_true, 5), "\nPassed in:\n(number) 5\nExpected:\n(boolean) true")
        hasParts(caught(assert.is_string, 5), "\nPassed in:\n(number) 5\nExpected:\ntype string")
        hasParts(caught(assert.matches, "%d", "x"), "\nPassed in:\n(string) 'x'\nExpected:\n(string) '%d'")
        hasParts(caught(assert.near, 1, 2, 0.5), "\nPassed in:\n(number) 2\nExpected:\n(number) 1 +/- 0.5")
        hasParts(caught(assert.truthy, false), "\n(boolean) false")
        hasParts(caught(assert.unique, { 1, 1 }), "[1] = 1\n", "[2] = 1")
        hasParts(caught(assert.returned_arguments, 3, 1), "3", "1")
    end)
    it("marks the way to a difference", function()
        local text = caught(assert.same, { 1, { "a", { "b" } } }, { 1, { "a", { "c" } } })
        hasParts(text, "*[2]", "*[2]", "*[1] = 'c'", "*[2]", "*[2]", "*[1] = 'b'")
        assert.is_nil(text:find("*[1] = 1", 1, true))
    end)
    it("shows which error came", function()
        hasParts(caught(assert.has_error, function() end), "\nCaught:\n(no error)\nExpected:\n(error)")
        hasParts(caught(assert.has_error, function() error("a") end, "b"),
            "\nCaught:\n(string) 'a'\nExpected:\n(string) 'b'")
        hasParts(caught(assert.has_error, function() error() end, "b"), "\nCaught:\n(nil)\n")
        hasParts(caught(assert.error_matches, function() error("a") end, "b"),
            "\nCaught:\n(string) 'a'\nExpected:\n(string) 'b'")
        hasParts(caught(assert.has_no.errors, function() error("a") end), "\n(string) 'a'")
    end)
    it("shows which calls came", function()
        local s = spy.new(function() return 7 end)
        hasParts(caught(function() assert.spy(s).was.called_with(1) end), "\n(nil)\n", "\n(values list) ((number) 1)")
        s("a", nil)
        hasParts(caught(function() assert.spy(s).was.called_with(1) end),
            "\n(values list) ((string) 'a', (nil))\n", "\n(values list) ((number) 1)")
        hasParts(caught(function() assert.spy(s).was_not.returned_with(7) end),
            "\n(values list) ((number) 7)\n", "\n(values list) ((number) 7)")
        hasParts(caught(function() assert.spy(s).was.called(3) end), "3", "1")
        hasParts(caught(function() assert.spy(s).was_not.called() end), "0", "1")
        hasParts(caught(function() assert.spy(s).was_not.called_at_least(1) end), "1", "1")
        hasParts(caught(function() assert.spy(s).was.called_more_than() end), "attempt to compare nil with number")
    end)
    it("begins with the message of the test", function()
        local shown = tostring(assert)
        assert.equals("(boolean) false", (caught(assert.is_true, nil, false):match("^[^\n]*")))
        assert.equals("(number) 9", (caught(assert.is_true, nil, 9):match("^[^\n]*")))
        assert.equals("mine", (caught(assert.message("mine").is_true, false):match("^[^\n]*")))
        assert.equals("nearer", (caught(assert.message("mine").is_true, false, "nearer"):match("^[^\n]*")))
        assert.matches("^%(table: 0x%x+%) { }", caught(assert.is_true, false, {}))
        assert.equals(shown, tostring(assert))
    end)
    it("begins with the place if Lua calls it", function()
        assert.matches("^[^\n]*failures_spec%.lua:%d+: ", caught(function() assert.equals(1, 2) end))
        assert.is_nil(caught(assert.equals, 1, 2):find("failures_spec", 1, true))
    end)
    it("can be replaced", function()
        local say = require "say"
        caught(assert.equals, 1, 2)
        local before = say.en["assertion.equals.positive"]
        finally(function() say:set("assertion.equals.positive", before) end)
        say:set("assertion.equals.positive", "%s is not %s")
        assert.equals("(number) 2 is not (number) 1", caught(assert.equals, 1, 2))
    end)
    it("is found in both wordings", function()
        local function fail() assert.equals(1, 2) end
        assert.error_matches(fail, "Passed in:")
        assert.error_matches(fail, "expected: 1\nactual: 2")
        assert.has_error(fail, "the values are not equal\nexpected: 1\nactual: 2")
    end)
end)

describe("matchers of matchers", function()
    it("refuse other values", function()
        for _, name in ipairs { "any_of", "all_of", "none_of" } do
            assert.error_matches(function() match[name]() end, name .. " takes 1 argument")
            assert.error_matches(function() match[name](match._, 0) end, "got number as argument 2: write match.is_same")
        end
    end)
    it("count how many accept a value", function()
        local number, small = match.is_number(), match.is_near(0, 5)
        assert.is_true(match.any_of(number, small)(9))
        assert.is_false(match.all_of(number, small)(9))
        assert.is_false(match.none_of(number, small)(9))
        assert.is_true(match.all_of(number, small)(3))
        assert.is_true(match.none_of(number, small)("x"))
    end)
end)

it("may have a chain that checks nothing", function()
    assert.is_(false)
    assert.are(1)
end)
