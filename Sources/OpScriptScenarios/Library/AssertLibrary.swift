/// `assert`, callable as Lua's, with named assertions in the words of busted.
enum AssertLibrary {
    /// Leaves `define`, `fail` and `isFailure` in the table of the driver, and makes the globals `assert` and `match`.
    static let source = #"""
        local inside = ...
        local type, tostring, select, error, pcall, setmetatable, getmetatable = type, tostring, select, error,
            pcall, setmetatable, getmetatable
        local pack, unpack, concat = table.pack, table.unpack, table.concat
        local format, same = inside.format, inside.same

        -- A failed assertion as an error: a table that prints as Lua's errors do.
        local failure = { __name = "failed assertion" }
        failure.__tostring = function(self)
            local text = (self.place and self.place .. ": " or "") .. self.message
            if self.expected then text = text .. "\nexpected: " .. self.expected end
            if self.actual then text = text .. "\nactual: " .. self.actual end
            return text
        end
        -- The texts of all that were raised: by them a failure inside an operation is known again.
        inside.raised = {}

        function inside.isFailure(value) return getmetatable(value) == failure end

        function inside.fail(message, expected, actual)
            local value = setmetatable(
                { message = message, expected = expected, actual = actual, place = inside.place() }, failure)
            inside.raised[tostring(value)] = true
            error(value, 0)
        end

        -- What is wrong with the call itself.
        local function misuse(text)
            local place = inside.place()
            error((place and place .. ": " or "") .. text, 0)
        end
        inside.misuse = misuse

        -- name → { arity, test, positive, negative, shows }
        local assertions = {}
        inside.assertions = assertions

        -- test(state, …) gives whether it holds, and may give a message, expected and actual of its own.
        function inside.define(names, arity, test, positive, negative, shows)
            local definition = {
                name = names:match("%S+"), arity = arity, test = test, positive = positive, negative = negative,
                    shows = shows,
            }
            for name in names:gmatch("%S+") do assertions[name] = definition end
        end
        local define = inside.define

        define("true", 1, function(_, value) return value == true end, "is not true", "is true", "value")
        define("false", 1, function(_, value) return value == false end, "is not false", "is false", "value")
        define("nil", 1, function(_, value) return value == nil end, "is not nil", "is nil", "value")
        define("truthy", 1, function(_, value) return value ~= nil and value ~= false end, "is not truthy",
            "is truthy", "value")
        define("falsy", 1, function(_, value) return value == nil or value == false end, "is not falsy", "is falsy",
            "value")
        for name in ("string number boolean table function thread userdata"):gmatch("%a+") do
            define(name, 1, function(_, value) return type(value) == name end, "is no " .. name, "is a " .. name,
                "value")
        end
        define("equals equal", 2, function(_, expected, actual)
            return expected == actual
        end, "the values are not equal", "the values are equal", "both")
        define("same", 2, function(_, expected, actual)
            local holds, path, left, right = same(expected, actual)
            if holds or not path or path == "" then return holds end
            return false, ("the values differ at %s: expected %s, got %s"):format(
                path:gsub("^%.", ""), inside.plain(left), inside.plain(right))
        end, "the values are not the same", "the values are the same", "both")
        define("near", 3, function(_, expected, actual, tolerance)
            if type(expected) ~= "number" or type(actual) ~= "number" or type(tolerance) ~= "number" then
                misuse("assert.near takes three numbers: expected, actual, tolerance")
            end
            local holds = actual >= expected - tolerance and actual <= expected + tolerance
            return holds, ("the difference is %s, and %s is allowed"):format(
                inside.seconds(math.abs(expected - actual)), inside.seconds(tolerance))
        end, "the numbers are not near", "the numbers are near", "both")
        define("unique", 1, function(_, list, deep)
            if type(list) ~= "table" then misuse("assert.unique takes a table") end
            local keys = inside.sortedKeys(list)
            for first = 1, #keys do
                for second = first + 1, #keys do
                    local a, b = list[keys[first]], list[keys[second]]
                    if a == b or (deep == true and same(a, b)) then return false end
                end
            end
            return true
        end, "a value stands there more than once", "no value stands there more than once", "value")
        define("match matches", 2, function(_, pattern, text, first, plain)
            local found = (type(text) == "string" or type(text) == "number" or type(text) == "userdata")
                and tostring(text):find(pattern, first or 1, plain) ~= nil
            return found
        end, "the text does not match the pattern", "the text matches the pattern", "both")

        -- The text of an error, without the line where it was raised.
        local function withoutPlace(text) return (text:gsub("^[^\n]-:%d+: ", "")) end
        local function matchesError(expected, actual)
            if expected == nil or same(expected, actual) then return true end
            if type(expected) ~= "string" then return false end
            if type(actual) ~= "string" and type(actual) ~= "userdata" then return false end
            local text = tostring(actual)
            return text == expected or withoutPlace(text) == expected
        end
        local function checkFunction(name, fn)
            local mt = getmetatable(fn)
            if type(fn) ~= "function" and not (type(mt) == "table" and mt.__call) then
                misuse("assert." .. name .. " takes a function, got " .. inside.kind(fn)
                    .. ": wrap the call, as in function() job() end")
            end
        end
        define("error errors", 1, function(state, fn, expected)
            checkFunction("has_error", fn)
            local ok, raised = pcall(fn)
            if state.isNegated then
                if ok then return false end
                if expected == nil then return true, "an error was raised", nil, inside.plain(raised) end
                return matchesError(expected, raised), "this error was raised", nil, inside.plain(raised)
            end
            if ok then return false, "no error was raised", expected ~= nil and format(expected) or nil end
            return matchesError(expected, raised), "another error was raised", format(expected), format(raised)
        end, "no error was raised", "an error was raised")
        define("error_matches error_match matches_error match_error", 2, function(_, fn, pattern, first, plain)
            checkFunction("error_matches", fn)
            local ok, raised = pcall(fn)
            if ok then return false, "no error was raised", format(pattern) end
            local text = tostring(raised)
            return text:find(pattern, first or 1, plain) ~= nil, "the error does not match the pattern",
                format(pattern), format(text)
        end, "the error does not match the pattern", "the error matches the pattern")

        local skipped = {}
        for word in ("is are was were has have does do be been to the a an"):gmatch("%a+") do skipped[word] = true end
        local chain = {}

        -- Cuts a key into small words and a name: `is_not_nil` is negated, and `nil`.
        local function read(key)
            local isNegated, rest = false, key:gsub("^%u", string.lower):gsub("_(%u)", function(letter) return "_"
                .. letter:lower() end)
            while rest ~= "" and not assertions[rest] do
                local word, after = rest:match("^(%a+)_?(.*)$")
                if word == "not" or word == "no" then
                    isNegated = not isNegated
                elseif not skipped[word or ""] then
                    break
                end
                rest = after
            end
            return isNegated, rest
        end

        local function nextState(state, changes)
            local result = {}
            for key, value in pairs(state) do result[key] = value end
            for key, value in pairs(changes) do result[key] = value end
            return setmetatable(result, chain)
        end

        chain.__name = "assert"
        chain.__index = function(state, key)
            if type(key) ~= "string" then return nil end
            local negates, name = read(key)
            local isNegated = rawget(state, "isNegated") or false
            if negates then isNegated = not isNegated end
            if name == "" then return nextState(state, { isNegated = isNegated }) end
            if name == "message" then
                return function(text) return nextState(state, { isNegated = isNegated, note = text }) end
            end
            if name == "spy" or name == "stub" then
                return function(subject)
                    if not inside.isSpy(subject) then
                        misuse("assert." .. name .. " takes a spy, got " .. inside.kind(subject))
                    end
                    return nextState(state, { isNegated = isNegated, subject = subject })
                end
            end
            local definition = assertions[name]
            if not definition then
                local names = {}
                for known in pairs(assertions) do names[#names + 1] = known end
                misuse("assert has no '" .. key .. "'" .. inside.suggest(name, names))
            end
            return nextState(state, { isNegated = isNegated, definition = definition })
        end

        local function check(state, ...)
            local definition, count = state.definition, select("#", ...)
            -- A function that returned nothing is as good as nil.
            if count < definition.arity and not (definition.shows and count == definition.arity - 1) then
                misuse(("assert.%s takes %d argument%s, got %d"):format(
                    definition.name, definition.arity, definition.arity == 1 and "" or "s", count))
            end
            local holds, text, expected, actual = definition.test(state, ...)
            if state.isNegated then holds = not holds end
            if holds then return ... end
            local message = state.isNegated and definition.negative or definition.positive
            if text and (not state.isNegated or definition.arity == 1 or definition.isRecorded) then message = text end
            local first, second = ...
            if definition.shows == "both" then
                if state.isNegated then
                    actual = format(second)
                else
                    expected, actual = format(first), format(second)
                end
            elseif definition.shows == "value" then
                message = format(first) .. " " .. message
            end
            local note = rawget(state, "note")
            if note == nil and definition.shows then note = select(definition.arity + 1, ...) end
            if type(note) == "string" then message = note .. "\n" .. message end
            inside.fail(message, expected, actual)
        end

        local root = setmetatable({}, chain)
        chain.__call = function(state, ...)
            if rawget(state, "definition") then return check(state, ...) end
            if state ~= root then
                misuse("assert: a word such as 'same' or 'is_true' is missing before the arguments")
            end
            -- As Lua's own.
            if select("#", ...) == 0 then misuse("bad argument #1 to 'assert' (value expected)") end
            local value, message = ...
            if value then return ... end
            if message == nil then inside.fail("assertion failed!") end
            if type(message) ~= "string" then error(message, 0) end
            inside.fail(message)
        end

        -- assert:register("assertion", name, fn): fn(state, arguments) tells whether it holds.
        rawset(root, "register", function(_, kind, name, fn)
            if kind == "matcher" then
                inside.matchers[name] = function(...) return fn(nil, pack(...)) end
                return
            end
            if kind ~= "assertion" then
                misuse("assert:register knows 'assertion' and 'matcher', got " .. inside.plain(kind))
            end
            define(name, 0, function(state, ...)
                return fn(state, pack(...)), ("'%s' does not hold for %s"):format(name, inside.formatAll(pack(...)))
            end, "'" .. name .. "' does not hold", "'" .. name .. "' holds")
        end)
        rawset(root, "snapshot", function()
            local first = #inside.spies + 1
            return { revert = function()
                for place = #inside.spies, first, -1 do inside.spies[place]:revert() end
            end }
        end)
        _G.assert = root

        -- match.is_number(), match.is_same(x), match._ : what stands for a value in comparisons.
        local matcher = inside.matcher
        inside.matchers = {
            any_of = function(...)
                local all = pack(...)
                return function(value)
                    for place = 1, all.n do if same(all[place], value) then return true end end
                    return false
                end
            end,
            ref = function(object) return function(value) return rawequal(object, value) end end,
            near = function(expected, tolerance)
                return function(value)
                    return type(value) == "number" and math.abs(value - expected) <= tolerance
                end
            end,
        }
        local function makeMatcher(text, takes) return setmetatable({ text = text, takes = takes }, matcher) end
        _G.match = setmetatable({ _ = makeMatcher("match._", function() return true end) }, {
            __index = function(_, key)
                local isNegated, name = read(key)
                local own, definition = inside.matchers[name], assertions[name]
                if not own and not definition then misuse("match has no '" .. tostring(key) .. "'") end
                return function(...)
                    local given = pack(...)
                    local text = "match." .. key .. "(" .. inside.formatAll(given) .. ")"
                    local test = own and own(...)
                    return makeMatcher(text, function(value)
                        if test then return (not test(value)) == isNegated end
                        local all = pack(unpack(given, 1, given.n))
                        all[given.n + 1] = value
                        return (not definition.test({}, unpack(all, 1, given.n + 1))) == isNegated
                    end)
                end
            end,
        })
        """#
}
