local _ENV = ...

-- require, written so that a module may wait at file scope
local loading, waiting = {}, {}

-- Raises an error as Lua's own `require` does: a string, with the place of the script's code that called it.
local function refuse(text)
    error(where() .. text, 0)
end

-- Raises the error of a searcher. A C module finds Lua's functions only if the program has them in a shared library;
-- what the linker says of that does not help.
local function refuseSearch(name, problem)
    if type(problem) ~= "string" then error(problem, 0) end
    local symbol = problem:match("undefined symbol: (luaL?_[%w_]+)")
    if symbol or problem:find("dynamic libraries not enabled", 1, true) then
        refuse("'" .. name .. "' is a C module ("
            .. (problem:match("from file '([^']*)'") or "of an unknown file")
            .. ") that needs " .. (symbol or "dynamic libraries") .. ", which this program does not have: it was "
            .. "built for another version of Lua, or this program cannot load C modules, because Lua is a part of it")
    end
    error(problem, 0)
end

-- The searcher of files in Lua: beside the script, then along `package.path`. The script itself is no module. A script
-- that replaces the whole path, and does not only add to it, has chosen all places.
function functions.searchFile(name)
    name = tostring(name)
    local path = package.path
    if mathType(path) then path = tostring(path) end
    if type(path) ~= "string" then
        if hasSearchers or path ~= nil then error("'package.path' must be a string", 0) end
        path = ""
    end
    local file, missing = name:gsub("%.", "/"):gsub("%%", "%%%%"), {}
    -- A folder that `package.path` has as well is named once.
    local first = path:find(firstPath, 1, true) and besides or ""
    local known, left = ";" .. path .. ";", #first
    for template in (first .. path):gmatch("[^;]+") do
        local candidate = template:gsub("%?", file)
        local loader, problem
        if left <= 0 or candidate ~= script then loader, problem = loadModule(candidate) end
        if loader then return loader, candidate end
        if problem then
            error("error loading module '" .. name .. "' from file '" .. candidate .. "':\n\t" .. problem, 0)
        end
        if left <= 0 or not known:find(";" .. template .. ";", 1, true) then
            missing[#missing + 1] = "no file '" .. candidate .. "'"
        end
        left = left - #template - 1
    end
    return concat(missing, "\n\t")
end

local function searchPreload(name)
    local loader = preload[name]
    if loader == nil then return "no field package.preload['" .. name .. "']" end
    return loader, ":preload:"
end

local function search(name)
    local searchers = package.searchers
    if not hasSearchers then
        searchers = { searchPreload, loadModule and functions.searchFile }
    elseif type(searchers) ~= "table" then
        refuse("'package.searchers' must be a table")
    end
    local messages, place = {}, 1
    while searchers[place] ~= nil do
        local isFound, loader, extra = pcall(searchers[place], name)
        if not isFound then refuseSearch(name, loader) end
        if type(loader) == "function" then return loader, extra end
        if type(loader) == "string" or mathType(loader) then
            messages[#messages + 1] = "\n\t" .. loader
        end
        place = place + 1
    end
    if not loadModule then
        messages[#messages + 1] = "\n\tno file: files need the capability 'modulesFromDisk', which the host "
            .. "has not granted; in Swift: configuration.capabilities.insert(.modulesFromDisk)"
    elseif hasSearchers and not loadsNativeModules then
        messages[#messages + 1] = "\n\tno module in C: those need the capability 'nativeModules', which the host has "
            .. "not granted; in Swift: configuration.capabilities.insert(.nativeModules), with all libraries"
    end
    refuse("module '" .. name .. "' not found:" .. concat(messages))
end

local function closesCircle(name, task)
    local owner = loading[name].task
    while owner do
        if owner == task then
            return true
        end
        local wanted = waiting[owner]
        local entry = wanted and loading[wanted]
        owner = entry and entry.task
    end
    return false
end

local mark = { __close = function(entry)
    if loading[entry.name] == entry then
        loading[entry.name] = nil
    end
    entry.gate:finish()
end }

local unwait = { __close = function(entry)
    waiting[entry.task] = nil
end }

function functions.require(...)
    local name = ...
    if mathType(name) and name == name then name = tostring(name) end
    if type(name) ~= "string" then
        local given = pack(...).n == 0 and "no value" or kind(name)
        refuse("bad argument #1 to 'require' (string expected, got " .. given .. ")")
    end
    local value = loaded[name]
    if value then
        return value
    end
    local task = currentTask()
    while loading[name] do
        if closesCircle(name, task) then
            refuse("loop or previous error loading module '" .. name .. "'")
        end
        local _ <close> = setmetatable({ task = task }, unwait)
        waiting[task] = name
        pawait(loading[name].gate)
        value = loaded[name]
        if value then
            return value
        end
    end
    local entry <close> = setmetatable({
        name = name, task = task, gate = Gate("module '" .. name .. "'"),
    }, mark)
    loading[name] = entry
    local loader, extra = search(name)
    local result = loader(name, extra)
    if result ~= nil then
        loaded[name] = result
    end
    if loaded[name] == nil then
        loaded[name] = true
    end
    return loaded[name], extra
end
