-- Names of a file, of its groups, and of the modules that it loads.
local checked = require "modules.checked"

describe("a module", function()
    it("has Lua's own assert", function()
        assert.is_function(checked.assert)
        assert.is_table(assert)
        local ok, raised = pcall(checked.number, "x")
        assert.is_false(ok)
        assert.is_string(raised)
        assert.matches("a number, please$", raised)
    end)
    it("does not see what tests are made of", function()
        assert.is_nil(_G.describe)
        assert.is_nil(_G.it)
        assert.is_nil(_G.spy)
        assert.is_function(_G.assert)
        assert.is_function(load("return assert")())
    end)
    it("has the globals that it sets", function()
        checked.leaveGlobal()
        assert.is_true(_G.leftByModule)
        assert.is_true(leftByModule)
        _G.leftByModule = nil
    end)
end)

outer = "file"
describe("a global", function()
    inner = "group"
    it("of a group is seen inside", function()
        assert.equals("file", outer)
        assert.equals("group", inner)
        outer, own = "scenario", 1
        assert.equals("scenario", outer)
        assert.is_nil(rawget(_G, "own"))
    end)
    it("of a scenario is gone after it", function()
        assert.equals("file", outer)
        assert.is_nil(own)
    end)
    before_each(function() fromHook = (fromHook or 0) + 1 end)
    it("of a hook belongs to the group", function() assert.is_number(fromHook) end)
end)
it("of a group is not seen outside", function() assert.is_nil(inner) end)

insulate("insulate", function()
    it("takes changes back", function()
        _G.changed = true
        package.loaded["modules.checked"] = "replaced"
        assert.equals("replaced", require "modules.checked")
    end)
    it("at its end", function() assert.is_not_nil(package.loaded["modules.checked"]) end)
end)
it("has taken them back", function()
    assert.is_nil(_G.changed)
    assert.equals(checked, require "modules.checked")
end)

expose("expose", function()
    exposed = "seen"
    it("keeps what it sets", function() assert.equals("seen", exposed) end)
end)

describe("an entry that is false", function()
    it("is loaded again", function()
        package.loaded["modules.beside"] = false
        assert.equals("beside", require "modules.beside")
    end)
end)

describe("a function for an isolate", function()
    it("has the globals there", function()
        local double = isolate(function(x) return math.floor(x * 2) end)
        assert.equals(6, await(double(3)))
    end)
end)

describe("randomize", function()
    randomize(7)
    for place = 1, 3 do it("is an order " .. place, function() end) end
end)

describe("a C module", function()
    it("that cannot be loaded gives the reason, and not the linker's words", function()
        local searchers, third = package.searchers, package.searchers[3]
        finally(function() searchers[3] = third end)
        local problem = "error loading module 'no.such' from file './no/such.so':\n\t./no/such.so: undefined symbol: lua_gettop"
        searchers[3] = function() error(problem, 0) end
        local text = assert.has_error(function() require "no.such" end)
        assert.matches("'no.such' is a C module (./no/such.so) that needs lua_gettop, which this program does not have",
            tostring(text), 1, true)
        problem = "error loading module 'no.such' from file './no/such.so':\n\tfile too short"
        assert.error_matches(function() require "no.such" end, "file too short")
    end)
end)
