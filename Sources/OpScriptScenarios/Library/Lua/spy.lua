-- `spy`, `stub` and `mock`: functions that remember how they were called, in the words of busted.
-- Puts `isSpy` into the table of the driver, and makes the exports `spy`, `stub` and `mock`.
local inside = ...
local type, setmetatable, getmetatable, rawset, rawget, ipairs, tostring, select, math = type, setmetatable,
    getmetatable, rawset, rawget, ipairs, tostring, select, math
local pcall = pcall
local pack, unpack = table.pack, table.unpack
local same, define, misuse, isCallable = inside.same, inside.define, inside.misuse, inside.isCallable
local exports, matcher = inside.exports, inside.matcher
local methods = {}
local metatable = { __index = methods, __name = "spy" }
metatable.__tostring = function(self) return "spy '" .. self.name .. "' (" .. #self.calls .. " calls)" end

function inside.isSpy(value) return getmetatable(value) == metatable end

-- The arguments: copies at the time of the call (`vals`), and the values themselves (`refs`).
local function record(...)
    local refs, vals = pack(...), { n = select("#", ...) }
    for place = 1, refs.n do vals[place] = inside.copy(refs[place]) end
    return { vals = setmetatable(vals, inside.arglist), refs = refs }
end
local function note(self, ...)
    self.returnvals[#self.returnvals + 1] = record(...)
    return ...
end

metatable.__call = function(self, ...)
    self.calls[#self.calls + 1] = record(...)
    return note(self, self.callback(...))
end

local function make(callback, name)
    local made = setmetatable({ callback = callback, name = name or "?", calls = {}, returnvals = {} },
        metatable)
    inside.addSpy(made)
    return made
end

-- Replaces a function by a spy, until it is reverted.
local function place(made, target, key)
    local before, original = rawget(target, key), target[key]
    made.target_table, made.target_key = target, key
    made.revert = function(self)
        if self.reverted then return original end
        self.reverted = true
        rawset(target, key, before)
        return original
    end
    rawset(target, key, made)
    return made
end

function methods:clear() self.calls, self.returnvals = {}, {} return self end
function methods:revert() return self.callback end
function methods:called(count, compare)
    if compare then return compare(#self.calls, count), #self.calls end
    if count == nil then return #self.calls > 0, #self.calls end
    return #self.calls == count, #self.calls
end

local function isRef(value) return getmetatable(value) == matcher and value.name == "ref" end
local function equalAll(expected, call)
    if (expected.n or #expected) ~= call.vals.n then return false end
    for index = 1, call.vals.n do
        local wanted = expected[index]
        if not same(wanted, isRef(wanted) and call.refs[index] or call.vals[index]) then return false end
    end
    return true
end
-- Whether one of the calls has these values; also returns the values of that call, or of the last one.
local function find(calls, expected)
    for _, call in ipairs(calls) do if equalAll(expected, call) then return true, call.vals end end
    return false, #calls > 0 and calls[#calls].vals or nil
end
function methods:called_with(arguments) return find(self.calls, arguments) end
function methods:returned_with(values) return find(self.returnvals, values) end

local function checkTarget(what, target, key)
    if type(target) ~= "table" then misuse(what .. " takes a table and a key, got " .. inside.kind(target)) end
    if key == nil then misuse(what .. " takes a table and a key") end
end

local spy = {
    new = function(callback, name)
        if callback == nil then callback = function() end end
        if not isCallable(callback) then misuse("spy.new takes a function, got " .. inside.kind(callback)) end
        return make(callback, name)
    end,
    on = function(target, key)
        checkTarget("spy.on", target, key)
        local original = target[key]
        if not isCallable(original) then
            misuse("spy.on: there is no function '" .. tostring(key) .. "', but " .. inside.kind(original))
        end
        return place(make(original, tostring(key)), target, key)
    end,
    is_spy = inside.isSpy,
}
exports.spy = setmetatable(spy, { __call = function(_, ...) return spy.new(...) end })

-- `returns` and `invokes` set the behaviour of a stub, also for certain arguments only.
local function makeStub(name, ...)
    local standard, special = { values = pack(...) }, {}
    if standard.values.n == 1 and isCallable((...)) then standard.invoked = (...) end
    local function run(rule, ...)
        if rule.invoked then return rule.invoked(...) end
        return unpack(rule.values, 1, rule.values.n)
    end
    local made = make(function(...)
        if #special > 0 then
            local given = record(...)
            for index = #special, 1, -1 do
                if equalAll(special[index].arguments, given) then return run(special[index], ...) end
            end
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
        local rule = { arguments = record(...).vals, values = { n = 0 } }
        special[#special + 1] = rule
        return rules(rule)
    end
    return made
end
local stub
stub = setmetatable({
    new = function(target, key, ...)
        if target == nil and key == nil then
            local made = makeStub("stub")
            made.revert = function() return nil end
            return made
        end
        checkTarget("stub", target, key)
        local original = target[key]
        if original ~= nil and not isCallable(original) then
            misuse("stub: '" .. tostring(key) .. "' is not a function, but " .. inside.kind(original))
        end
        return place(makeStub(tostring(key), ...), target, key)
    end,
}, { __call = function(self, ...) return self.new(...) end })
exports.stub = stub

local function each(target, visit, seen)
    if type(target) ~= "table" or seen[target] then return end
    if inside.isSpy(target) then return visit(nil, nil, target) end
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
local function onSpies(method)
    return function(target)
        each(target, function(_, _, value) if inside.isSpy(value) then value[method](value) end end, {})
        return target
    end
end
local mock = { clear = onSpies("clear"), revert = onSpies("revert") }
-- mock(table): spies on all its functions; mock(table, true[, result]): stubs instead of them.
function mock.new(target, isStub, ...)
    if type(target) == "function" then return spy.new(target) end
    if type(target) ~= "table" then misuse("mock takes a table, got " .. inside.kind(target)) end
    local given = pack(...)
    each(target, function(owner, key, value)
        if inside.isSpy(value) then return end
        if isStub then stub(owner, key, unpack(given, 1, math.min(given.n, 1))) else spy.on(owner, key) end
    end, {})
    return target
end
exports.mock = setmetatable(mock, { __call = function(_, ...) return mock.new(...) end })

-- assert.spy(s), assert.stub(s): the spy of the following words.
for _, word in ipairs { "spy", "stub" } do
    inside.namespaces.modifier[word] = { name = word, callback = function(state, arguments)
        local subject = arguments[1]
        if not inside.isSpy(subject) then
            misuse("assert." .. word .. " takes a spy, got " .. inside.kind(subject))
        end
        rawset(state, "payload", subject)
        if arguments[2] ~= nil then rawset(state, "failure_message", arguments[2]) end
    end }
end

local function subject(state)
    return rawget(state, "payload") or misuse("say which spy: assert.spy(s).was_called()")
end
local function times(count) return count == 1 and "once" or count .. " times" end
local function counting(name, holds, words)
    define(name, 0, function(state, count)
        local called = subject(state)
        if type(count) ~= "number" then
            local _, problem = pcall(holds, #called.calls, count)
            misuse("assert." .. name .. " takes a number of calls, got " .. inside.kind(count) .. ": "
                .. tostring(problem))
        end
        return holds(#called.calls, count), ("'%s' was called %s"):format(called.name, times(#called.calls)),
            words .. " " .. times(count), times(#called.calls)
    end, "was not called as often as expected", "was called as often as not expected")
end
define("called", 0, function(state, count)
    local called = subject(state)
    local text = ("'%s' was called %s"):format(called.name, times(#called.calls))
    if count == nil then
        return #called.calls > 0, #called.calls == 0 and "'" .. called.name .. "' was never called" or text
    end
    return #called.calls == count, text, times(count), times(#called.calls)
end, "it was never called", "it was called")
inside.assertions.called.isRecorded = true
counting("called_at_least", function(calls, count) return calls >= count end, "at least")
counting("called_at_most", function(calls, count) return calls <= count end, "at most")
counting("called_more_than", function(calls, count) return calls > count end, "more than")
counting("called_less_than", function(calls, count) return calls < count end, "less than")

local function showCalls(called, field)
    local lines = {}
    for index, call in ipairs(called[field]) do lines[index] = "(" .. inside.formatAll(call.vals) .. ")" end
    return #lines == 0 and "never called" or table.concat(lines, "\n")
end
define("called_with", 0, function(state, ...)
    local called = subject(state)
    if called:called_with(inside.list(...)) then return true end
    return false, nil, "(" .. inside.formatAll(pack(...)) .. ")", showCalls(called, "calls")
end, "it was never called with these arguments", "it was called with these arguments")
define("returned_with", 0, function(state, ...)
    local called = subject(state)
    if called:returned_with(inside.list(...)) then return true end
    return false, nil, "(" .. inside.formatAll(pack(...)) .. ")", showCalls(called, "returnvals")
end, "it never returned these values", "it returned these values")
