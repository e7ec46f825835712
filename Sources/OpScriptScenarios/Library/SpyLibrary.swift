/// `spy`, `stub` and `mock`: functions that remember how they were called, in the words of busted.
enum SpyLibrary {
    /// Leaves `isSpy` and `spies` in the table of the driver, and makes the globals `spy`, `stub` and `mock`.
    static let source = #"""
        local inside = ...
        local type, setmetatable, getmetatable, rawset, pairs, tostring = type, setmetatable, getmetatable, rawset,
            pairs, tostring
        local pack, unpack = table.pack, table.unpack
        local same, define, misuse = inside.same, inside.define, inside.misuse
        local methods = {}
        local metatable = { __index = methods, __name = "spy" }
        metatable.__tostring = function(self) return "spy '" .. self.name .. "' (" .. #self.calls .. " calls)" end
        inside.spies = {}

        function inside.isSpy(value) return getmetatable(value) == metatable end

        local function isCallable(value)
            local mt = getmetatable(value)
            return type(value) == "function" or (type(mt) == "table" and mt.__call ~= nil)
        end

        local function note(call, ...)
            call.returnVals = pack(...)
            return ...
        end

        metatable.__call = function(self, ...)
            local call = { vals = pack(...), returnVals = { n = 0 } }
            self.calls[#self.calls + 1] = call
            return note(call, self.callback(...))
        end

        local function make(callback, name)
            local made = setmetatable({ callback = callback, name = name or "?", calls = {} }, metatable)
            inside.spies[#inside.spies + 1] = made
            return made
        end

        -- Puts a spy where a function stands, until it is reverted.
        local function place(made, target, key)
            local before = rawget(target, key)
            made.revert = function(self)
                if self.isReverted then return self end
                self.isReverted = true
                rawset(target, key, before)
                return self
            end
            rawset(target, key, made)
            return made
        end

        function methods:clear() self.calls = {} return self end
        function methods:revert() return self end
        function methods:called(count)
            if count == nil then return #self.calls > 0, #self.calls end
            return #self.calls == count, #self.calls
        end

        local function equalAll(expected, actual)
            if expected.n ~= actual.n then return false end
            for index = 1, expected.n do
                if not same(expected[index], actual[index]) then return false end
            end
            return true
        end
        local function find(self, expected, field)
            for _, call in ipairs(self.calls) do if equalAll(expected, call[field]) then return true end end
            return false
        end
        function methods:called_with(...) return find(self, pack(...), "vals") end
        function methods:returned_with(...) return find(self, pack(...), "returnVals") end

        local function checkTarget(what, target, key)
            if type(target) ~= "table" then misuse(what .. " takes a table and a key, got " .. inside.kind(target)) end
            if key == nil then misuse(what .. " takes a table and a key") end
        end

        _G.spy = {
            new = function(callback, name)
                if callback == nil then callback = function() end end
                if not isCallable(callback) then misuse("spy.new takes a function, got " .. inside.kind(callback)) end
                return make(callback, name)
            end,
            on = function(target, key)
                checkTarget("spy.on", target, key)
                local original = target[key]
                if inside.isSpy(original) then return original end
                if not isCallable(original) then
                    misuse("spy.on: there is no function '" .. tostring(key) .. "', but " .. inside.kind(original))
                end
                return place(make(original, tostring(key)), target, key)
            end,
            is_spy = inside.isSpy,
        }
        setmetatable(_G.spy, { __call = function(_, ...) return _G.spy.new(...) end })

        -- What a stub does is said by `returns` and `invokes`, also for certain arguments only.
        local function makeStub(name, ...)
            local standard, special = { values = pack(...) }, {}
            local function run(rule, ...)
                if rule.invoked then return rule.invoked(...) end
                return unpack(rule.values, 1, rule.values.n)
            end
            local made = make(function(...)
                local given = pack(...)
                for index = #special, 1, -1 do
                    if equalAll(special[index].arguments, given) then return run(special[index], ...) end
                end
                return run(standard, ...)
            end, name)
            local function rules(rule)
                return {
                    returns = function(...) rule.values, rule.invoked = pack(...), nil return made end,
                    invokes = function(fn) rule.invoked = fn return made end,
                }
            end
            made.by_default = rules(standard)
            made.returns, made.invokes = made.by_default.returns, made.by_default.invokes
            made.on_call_with = function(...)
                local rule = { arguments = pack(...), values = { n = 0 } }
                special[#special + 1] = rule
                return rules(rule)
            end
            return made
        end
        _G.stub = setmetatable({
            new = function(target, key, ...)
                if target == nil then return makeStub("stub") end
                checkTarget("stub", target, key)
                return place(makeStub(tostring(key), ...), target, key)
            end,
        }, { __call = function(self, ...) return self.new(...) end })

        local function each(target, visit, seen)
            if type(target) ~= "table" or seen[target] or inside.isSpy(target) then return end
            seen[target] = true
            for _, key in ipairs(inside.sortedKeys(target)) do
                local value = target[key]
                if inside.isSpy(value) or type(value) == "function" then
                    visit(target, key, value)
                elseif type(value) == "table" then
                    each(value, visit, seen)
                end
            end
        end
        _G.mock = setmetatable({
            clear = function(target)
                each(target, function(_, _, value) if inside.isSpy(value) then value:clear() end end, {})
                return target
            end,
            revert = function(target)
                each(target, function(_, _, value) if inside.isSpy(value) then value:revert() end end, {})
                return target
            end,
        }, {
            -- mock(table): spies on all its functions; mock(table, true): stubs instead of them.
            __call = function(_, target, isStub)
                if type(target) ~= "table" then misuse("mock takes a table, got " .. inside.kind(target)) end
                each(target, function(owner, key, value)
                    if inside.isSpy(value) then return end
                    if isStub then _G.stub(owner, key) else _G.spy.on(owner, key) end
                end, {})
                return target
            end,
        })

        local function subject(state)
            return rawget(state, "subject") or misuse("say which spy: assert.spy(s).was_called()")
        end
        local function times(count) return count == 1 and "once" or count .. " times" end
        local function counting(name, holds, words)
            define(name, 1, function(state, count)
                local spy = subject(state)
                return holds(#spy.calls, count), ("'%s' was called %s"):format(spy.name, times(#spy.calls)),
                    words .. " " .. times(count), times(#spy.calls)
            end, "was not called as often as expected", "was called as often as not expected")
        end
        define("called", 0, function(state, count)
            local spy = subject(state)
            local text = ("'%s' was called %s"):format(spy.name, times(#spy.calls))
            if count == nil then
                return #spy.calls > 0, #spy.calls == 0 and "'" .. spy.name .. "' was never called" or text
            end
            return #spy.calls == count, text, times(count), times(#spy.calls)
        end, "it was never called", "it was called")
        inside.assertions.called.isRecorded = true
        counting("called_at_least", function(calls, count) return calls >= count end, "at least")
        counting("called_at_most", function(calls, count) return calls <= count end, "at most")
        counting("called_more_than", function(calls, count) return calls > count end, "more than")
        counting("called_less_than", function(calls, count) return calls < count end, "less than")

        local function showCalls(spy, field)
            local lines = {}
            for index, call in ipairs(spy.calls) do lines[index] = "(" .. inside.formatAll(call[field]) .. ")" end
            return #lines == 0 and "never called" or table.concat(lines, "\n")
        end
        define("called_with", 0, function(state, ...)
            local spy = subject(state)
            return spy:called_with(...), nil, "(" .. inside.formatAll(pack(...)) .. ")", showCalls(spy, "vals")
        end, "it was never called with these arguments", "it was called with these arguments")
        define("returned_with", 0, function(state, ...)
            local spy = subject(state)
            return spy:returned_with(...), nil, "(" .. inside.formatAll(pack(...)) .. ")", showCalls(spy, "returnVals")
        end, "it never returned these values", "it returned these values")
        """#
}
