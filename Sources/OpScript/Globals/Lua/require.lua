local _ENV = ...

-- require, written so that a module may wait at file scope
local loading, waiting = {}, {}

-- Raises the error of a module that cannot be loaded. A C module finds Lua's functions only if the program has
-- them in a shared library; what the linker says of that does not help.
local function refuse(name, problem)
    if type(problem) ~= "string" then error(problem, 0) end
    if problem:find("undefined symbol: lua", 1, true) or problem:find("dynamic libraries not enabled", 1, true)
    then
        fail("failed", "'" .. name .. "' is a C module ("
            .. (problem:match("from file '([^']*)'") or "of an unknown file")
            .. "), and this program cannot load C modules, because Lua is a part of it: use the program that "
            .. "is linked with the shared library of Lua")
    end
    error(problem, 0)
end

local function search(name)
    local messages = {}
    local preload = package.preload[name]
    if preload ~= nil then
        return preload, ":preload:"
    end
    messages[#messages + 1] = "no field package.preload['" .. name .. "']"
    if package.path and loadModule then
        local file = name:gsub("%.", "/")
        for template in package.path:gmatch("[^;]+") do
            local path = template:gsub("%?", (file:gsub("%%", "%%%%")))
            local loader, problem = loadModule(path)
            if loader then
                return loader, path
            elseif problem then
                fail("failed", "error loading module '" .. name .. "' from file '" .. path .. "':\n\t"
                    .. problem)
            end
            messages[#messages + 1] = "no file '" .. path .. "'"
        end
    elseif not loadModule then
        messages[#messages + 1] = "no file: files need the capability 'modulesFromDisk', which the host "
            .. "has not granted; in Swift: configuration.capabilities.insert(.modulesFromDisk)"
    end
    local searchers = package.searchers
    if type(searchers) == "table" then
        for place = 3, #searchers do
            local isFound, loader, extra = pcall(searchers[place], name)
            if not isFound then refuse(name, loader) end
            if type(loader) == "function" then
                return loader, extra
            elseif type(loader) == "string" then
                messages[#messages + 1] = (loader:gsub("^\n\t", ""))
            end
        end
        if loadModule and not searchers[3] then
            messages[#messages + 1] = "no module in C: those need the capability 'nativeModules', which the host has "
                .. "not granted; in Swift: configuration.capabilities.insert(.nativeModules), with all libraries"
        end
    end
    fail("failed", "module '" .. name .. "' not found:\n\t" .. concat(messages, "\n\t"))
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

function functions.require(name)
    if type(name) ~= "string" then
        fail("argument", "bad argument #1 to 'require' (string expected, got " .. kind(name) .. ")")
    end
    local loaded = package.loaded
    local value = loaded[name]
    if value then
        return value
    end
    local task = currentTask()
    while loading[name] do
        if closesCircle(name, task) then
            fail("failed", "loop or previous error loading module '" .. name .. "'")
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
    elseif not loaded[name] then
        loaded[name] = true
    end
    return loaded[name], extra
end
