-- The modules that files of scenarios may require: `busted`, `luassert` with its parts, `say`.
-- Fills `package.preload`, and leaves `prepare` in the table of the driver: the preparation before a
-- file is loaded.
local inside = ...
local type, tostring, error, xpcall, select, ipairs, next = type, tostring, error, xpcall, select, ipairs, next
local setmetatable, getmetatable, rawget, rawset, require = setmetatable, getmetatable, rawget, rawset, require
local load, loadfile, dofile = load, loadfile, dofile
local pack, unpack = table.pack, table.unpack
local package, exports, globals, debug = package, inside.exports, _G, debug
local preload = package.preload

-- The file of a module that the project has itself; nil if it has none.
local function ownFile(name)
    for template in (package.path or ""):gmatch("[^;]+") do
        local path = template:sub(1, 1) == "." and package.searchpath(name, template)
        if path then return path end
    end
end
-- A project that is one of these modules sets `package.loaded[name] = false` to load its own.
local function offer(name, make)
    local value
    preload[name] = function()
        local path = package.loaded[name] == false and ownFile(name)
        if path then
            local chunk, problem = loadfile(path)
            if not chunk then error(problem, 0) end
            return chunk(name, path)
        end
        if value == nil then value = make() end
        return value
    end
end

-- MARK: luassert

local assert, spy, stub, mock, match = exports.assert, exports.spy, exports.stub, exports.mock, exports.match
local util = { pack = pack, unpack = function(list, first, last)
    return unpack(list, first or 1, last or list.n or #list)
end }
-- A third argument of luassert's, whether metatables are ignored, has no effect.
function util.deepcompare(first, second)
    local holds = inside.same(first, second)
    return holds, holds and nil or {}
end
function util.deepcopy(value) return inside.copy(value) end
function util.shallowcopy(value)
    if type(value) ~= "table" then return value end
    local result = setmetatable({}, getmetatable(value))
    for key, field in next, value do rawset(result, key, field) end
    return result
end
function util.copyargs(list)
    local vals = setmetatable({ n = list.n }, getmetatable(list))
    for key, value in next, list do vals[key] = inside.copy(value) end
    return { vals = vals, refs = util.shallowcopy(list) }
end
-- The first or last of several lists of values that has the expected ones.
function util.matchargs(lists, expected)
    for place = #lists, 1, -1 do
        local call = lists[place]
        local vals = call.vals or call
        local holds = (vals.n or #vals) == (expected.n or #expected)
        for index = 1, vals.n or #vals do
            holds = holds and inside.same(expected[index], vals[index])
        end
        if holds then return call end
    end
end
function util.tinsert(list, ...)
    local count = select("#", ...)
    local place, value = (list.n or #list) + 1, (...)
    if count > 1 then place, value = ... end
    list.n = math.max(list.n or #list, place - 1)
    for index = list.n, place, -1 do list[index + 1] = list[index] end
    list[place], list.n = value, list.n + 1
    return value
end
function util.tremove(list, place)
    local length = list.n or #list
    place = place or length
    local value = list[place]
    for index = place, length - 1 do list[index] = list[index + 1] end
    list[length], list.n = nil, math.max(0, length - 1)
    return value
end
util.callable = inside.isCallable
function util.hastostring(value)
    local mt = getmetatable(value)
    return type(value) == "string" or (type(mt) == "table" and mt.__tostring ~= nil)
end
function util.errorlevel(level) return (level or 1) + 1 end
util.make_arglist = inside.list
function util.is_arglist(value) return getmetatable(value) == inside.arglist end
function util.cleararglist(list)
    for place = 1, list.n or #list do list[place] = nil end
    list.n = 0
end
function util.extract_keys(kind, words)
    local found, keys = inside.plan(kind, table.concat(words, "_")), {}
    for _, modifier in ipairs(found.modifiers) do keys[#keys + 1] = modifier.name end
    if found.target then keys[#keys + 1] = found.target.name end
    return keys
end

for name, value in next, {
    ["luassert"] = assert, ["luassert.assert"] = assert, ["luassert.spy"] = spy, ["luassert.stub"] = stub,
    ["luassert.mock"] = mock, ["luassert.match"] = match, ["luassert.util"] = util,
    ["luassert.namespaces"] = inside.namespaces, ["luassert.modifiers"] = true, ["luassert.assertions"] = true,
    ["luassert.array"] = true, ["luassert.matchers"] = true, ["luassert.matchers.core"] = true,
    ["luassert.matchers.composite"] = true, ["luassert.formatters"] = true, ["luassert.languages.en"] = true,
    ["luassert.compatibility"] = { unpack = unpack },
    ["luassert.state"] = {
        snapshot = function() return assert:snapshot() end,
        add_formatter = function(callback) return assert:add_formatter(callback) end,
        remove_formatter = function(callback) return assert:remove_formatter(callback) end,
        set_parameter = function(key, value) return assert:set_parameter(key, value) end,
        get_parameter = function(key) return assert:get_parameter(key) end,
        add_spy = inside.addSpy,
        format_argument = function(value) return inside.formatted(value) or inside.described(value) end,
    },
    ["say"] = inside.say,
} do offer(name, function() return value end) end
-- A formatter for texts of bytes.
offer("luassert.formatters.binarystring", function()
    return function(value)
        if type(value) ~= "string" then return nil end
        local lines = { ("%d bytes"):format(#value) }
        for first = 1, #value, 16 do
            local part = value:sub(first, first + 15)
            lines[#lines + 1] = part:gsub(".", function(byte) return ("%02x "):format(byte:byte()) end)
                .. ("   "):rep(16 - #part) .. part:gsub("[^\32-\126]", ".")
        end
        return table.concat(lines, "\n")
    end
end)

-- MARK: busted

local api = { version = "2.3.0" }
local words = {}
for name in ("describe context insulate expose it spec test pending before_each after_each setup teardown "
    .. "lazy_setup lazy_teardown strict_setup strict_teardown finally randomize assert spy stub mock "
    .. "match"):gmatch("%S+") do words[name] = true end
api.subscribe, api.unsubscribe, api.publish = inside.subscribe, inside.unsubscribe, inside.publish
api.parent = inside.parentOfView
function api.fail(message) inside.fail(message == nil and "failed" or tostring(message)) end
function api.gettime() return os.time() end
function api.monotime() return clock.now() end
function api.sleep(seconds) sleep(seconds) end
function api.children() return {} end
-- Gives a function, or the function behind a callable value, another value of a global name.
function api.bindfenv(callable, name, value)
    local mt = getmetatable(callable)
    local fn = type(mt) == "table" and mt.__call or callable
    if type(fn) ~= "function" then inside.misuse("bindfenv takes a function, got " .. inside.kind(fn)) end
    if not debug or not debug.upvaluejoin then inside.misuse("bindfenv needs the library debug") end
    for place = 1, math.huge do
        local found, env = debug.getupvalue(fn, place)
        if not found then return end
        if found == "_ENV" then
            local own = setmetatable({ [name] = value }, { __index = env, __newindex = env })
            debug.upvaluejoin(fn, place, load("local own = ... return function() return own end")(own), 1)
            return
        end
    end
end
exports.fail = nil
-- The words are those that files find. They cannot be replaced.
local busted = setmetatable({}, {
    __index = function(self, key)
        if key == "api" then return self end
        if words[key] then return rawget(exports, key) end
        return api[key]
    end,
    __newindex = function(_, key)
        inside.misuse("the module 'busted' cannot be changed: '" .. tostring(key) .. "' stays as it is")
    end,
    __call = function(self) return self end,
})
offer("busted", function() return busted end)
-- A file that can also run alone requires the runner, which is already active.
offer("busted.runner", function() return function() return function() end end end)
offer("busted.core", function() return function() return busted end end)
offer("busted.compatibility", function() return { unpack = unpack, loadstring = load } end)
offer("busted.utils", function()
    return { shuffle = function(list) return list end, split = function(text, separator)
        local parts = {}
        for part in (text .. separator):gmatch("(.-)" .. separator) do parts[#parts + 1] = part end
        return parts
    end }
end)

-- The files of the modules that are loaded.
function inside.loadedFiles()
    local files = {}
    if not package.path or not package.searchpath then return files end
    for name in next, package.loaded do
        local path = type(name) == "string" and package.searchpath(name, package.path)
        if path then files[#files + 1] = path end
    end
    return files
end

-- MARK: the preparation of a file

local function perform(what, fn)
    local ok, found = xpcall(fn, inside.describeError)
    if ok then return true end
    found.event, found.where, found.preventsAllFiles = "problem", what, true
    inside.tell(found)
    return false
end
-- False if the file cannot run without the code that failed.
function inside.prepare(order)
    inside.order = order
    if order.interpreter and type(globals.arg) == "table" then globals.arg[-1] = order.interpreter end
    if package.path then
        -- Modules beside the file are found last.
        local folder = order.file:match("^(.*)/[^/]*$") or "."
        local beside = folder .. "/?.lua;" .. folder .. "/?/init.lua"
        if package.path:sub(1, #beside + 1) == beside .. ";" then
            package.path = package.path:sub(#beside + 2) .. ";" .. beside
        end
    end
    if order.lpath then package.path = order.lpath .. ";" .. (package.path or "") end
    if order.cpath and package.cpath then package.cpath = order.cpath .. ";" .. package.cpath end
    for _, statement in ipairs(order.statements or {}) do
        if not perform("-e", function()
            local chunk, problem = load(statement, "=(command line)")
            if not chunk then error(problem, 0) end
            chunk()
        end) then return false end
    end
    if order.helper and order.helper ~= "" and order.action ~= "list" then
        return perform("helper '" .. order.helper .. "'", function()
            local before = globals.arg
            globals.arg = order.helperArguments or {}
            if order.helper:match("%.lua$") then dofile(order.helper) else require(order.helper) end
            globals.arg = before
        end)
    end
    return true
end
