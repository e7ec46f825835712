/// `say`: texts by key and language, as modules under test and assertions of scripts use it.
enum SayLibrary {
    /// Puts `say` into the table of the driver.
    static let source = #"""
        local inside = ...
        local type, tostring, setmetatable, error, select = type, tostring, setmetatable, error, select
        local unpack, max = table.unpack, math.max
        local languages, language, fallback = { en = {} }, "en", "en"
        local say = { _registry = languages, _VERSION = "Say 1.4" }

        local function choose(name)
            if type(name) ~= "string" then
                error("say: the name of a namespace is a string, got " .. type(name), 3)
            end
            languages[name] = languages[name] or {}
            return name
        end
        function say:set_namespace(name) language = choose(name) end
        function say:set_fallback(name) fallback = choose(name) end
        function say:set(key, value) languages[language][key] = value end
        inside.say = setmetatable(say, {
            __call = function(_, key, values)
                if values ~= nil and type(values) ~= "table" then
                    error("say: the values of a text are a table, got " .. type(values), 2)
                end
                local text = languages[language][key]
                if text == nil then text = languages[fallback][key] end
                if text == nil then return nil end
                text = tostring(text)
                local count = values and max(values.n or 0, #values) or 0
                if count == 0 then return text end
                local shown = {}
                for place = 1, count do shown[place] = tostring(values[place]) end
                return text:format(unpack(shown, 1, count))
            end,
            __index = function(_, key) return languages[key] end,
        })
        for key, text in next, {
            ["assertion.same"] = "the same", ["assertion.equals"] = "equal", ["assertion.matches"] = "a match",
            ["assertion.near"] = "near", ["assertion.unique"] = "unique", ["assertion.error"] = "an error",
            ["assertion.truthy"] = "truthy", ["assertion.falsy"] = "falsy", ["assertion.called"] = "called",
            ["assertion.called_with"] = "called with these arguments",
        } do
            say:set(key .. ".positive", "expected " .. text .. ", got:\n%s\nexpected:\n%s")
            say:set(key .. ".negative", "did not expect " .. text .. ", got:\n%s\ndid not expect:\n%s")
        end
        """#
}
