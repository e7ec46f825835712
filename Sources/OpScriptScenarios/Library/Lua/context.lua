-- The lookup of names in a file of scenarios, and the values that `insulate` restores.
-- Puts `newGroup`, `newScenario`, `enter` and `leaveContext` into the table of the driver.
local inside = ...
local setmetatable, next, rawget, rawset, getmetatable, type = setmetatable, next, rawget, rawset, getmetatable,
    type
local globals, package = _G, package

-- The environment of the file. Reads and writes go to that of the running group or scenario: a table
-- whose names are looked up in that of the group around it, and finally among the globals.
local link = {}
inside.fileEnvironment = setmetatable({}, link)
setmetatable(inside.exports, { __index = globals })

local suite = { word = "suite", env = inside.exports }
inside.suite = suite
local current, entered, states = suite, {}, {}

local function environment(element)
    local env = element.env
    if not env then
        local parent = element.parent
        local mt = parent.inner
        if not mt then
            mt = { __index = environment(parent) }
            parent.inner = mt
        end
        if element.mode == "expose" then
            -- Its assignments are made two levels further out.
            local outer = parent.parent
            mt = { __index = mt.__index, __newindex = outer and environment(outer) or globals }
        end
        env = setmetatable({}, mt)
        element.env = env
    end
    return env
end

local function copy(values)
    local result = {}
    for key, value in next, values do result[key] = value end
    return result
end
local function save()
    return { globals = copy(globals), metatable = getmetatable(globals), loaded = copy(package.loaded) }
end
local function bringBack(values, before)
    for key in next, copy(values) do
        if before[key] == nil then rawset(values, key, nil) end
    end
    for key, value in next, before do
        if rawget(values, key) ~= value then rawset(values, key, value) end
    end
end
local function restore(state)
    bringBack(globals, state.globals)
    if getmetatable(globals) ~= state.metatable and type(state.metatable) ~= "string" then
        setmetatable(globals, state.metatable)
    end
    bringBack(package.loaded, state.loaded)
end

local function use(element)
    current = element
    local env = environment(element)
    link.__index, link.__newindex = env, env
end

-- Code that runs from here on belongs to this group or scenario.
function inside.enter(element)
    entered[#entered + 1] = current
    states[#states + 1] = element ~= current and element.mode == "insulate" and save() or false
    use(element)
end
function inside.leaveContext()
    local element, state = current, states[#states]
    states[#states] = nil
    use(entered[#entered])
    entered[#entered] = nil
    if element ~= current and element.mode == "expose" and states[#states] then states[#states] = save() end
    if state then restore(state) end
end
function inside.current() return current end

use(suite)
