-- The order of hooks; the scenarios of the group have engines of their own, so nothing of another one is seen.
local log = {}
local function note(text) return function() log[#log + 1] = text end end

setup(note "setup")
before_each(note "before each")
describe("a group", { isolate = true }, function()
    setup(note "inner setup")
    lazy_setup(note "inner setup 2")
    before_each(note "inner before each")

    it("has all hooks called from the outermost", function()
        finally(function() assert.equals(6, #log) end)
        log[#log + 1] = "body"
        assert.same({ "setup", "inner setup", "inner setup 2", "before each", "inner before each", "body" }, log)
    end)

    it("sees nothing of the one before #alone", function()
        assert.equals(5, #log)
        seen = true
    end)

    it("nor globals", function() assert.is_nil(seen) end)
end)

describe("time", function()
    it("is virtual", function()
        assert.is_true(clock.isVirtual)
        assert.equals(0, clock.now())
        sleep(86400)
        assert.equals(86400, clock.now())
    end)

    it.real("is real where that is asked for", function()
        assert.is_false(clock.isVirtual)
        local before = clock.now()
        sleep(0.01)
        assert.is_true(clock.now() > before)
    end)

    spec("begins anew", function() assert.equals(0, clock.now()) end)
    test("has other names", { timeout = 10 }, function() sleep(9) end)
end)

insulate("modules", function()
    it("lie beside the file", function() assert.equals("beside", require("modules.beside")) end)
end)
