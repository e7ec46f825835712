local _ENV = ...

-- simulate(pattern, { duration, result, error } | function | mode)
local modes = { real = true, instant = true, registered = true, modelled = true }

local function checkDuration(duration)
    if duration ~= nil and (mathType(duration) == nil or not (duration >= 0)) then
        fail("argument", "bad value for 'duration' (a number of seconds of at least 0 expected, got "
            .. quantity(duration) .. ")")
    end
end

local function play(model)
    checkDuration(model.duration)
    if model.duration and model.duration > 0 then
        sleep(model.duration)
    end
    if model.error ~= nil then
        error(model.error, 0)
    end
    return model.result
end

local function isModel(value)
    if type(value) ~= "table" then
        return false
    end
    local isEmpty = true
    for key in next, value do
        if key ~= "duration" and key ~= "result" and key ~= "error" then
            return false
        end
        isEmpty = false
    end
    return not isEmpty
end

local function wrap(fn)
    return function(...)
        local results = pack(fn(...))
        if results.n == 1 and isModel(results[1]) then
            return play(results[1])
        end
        return unpack(results, 1, results.n)
    end
end

local function fromTable(options)
    for key in pairs(options) do
        if key ~= "duration" and key ~= "result" and key ~= "error" and key ~= "mode" then
            fail("argument", "simulate has no option '" .. tostring(key)
                .. "' (there are 'duration', 'result', 'error', 'mode')")
        end
    end
    checkDuration(options.duration)
    local mode = options.mode
    if mode ~= nil and not modes[mode] then
        fail("argument", "bad value for 'mode' ('real', 'instant', 'registered' or 'modelled' expected, got "
            .. (type(mode) == "string" and "'" .. mode .. "'" or kind(mode)) .. ")")
    end
    if mode == nil or mode == "modelled" then
        local model = { duration = options.duration, result = options.result, error = options.error }
        return function()
            return play(model)
        end
    end
    if options.duration ~= nil or options.result ~= nil or options.error ~= nil then
        fail("argument", "a simulated work in mode '" .. tostring(mode)
            .. "' has no duration, result or error of its own")
    end
    return mode
end

-- simulate("slurm", { nodes, faults }): the cluster in memory
local function simulateCluster(name, model)
    if type(model) ~= "table" then
        fail("argument", "bad argument #2 to 'simulate' (table with 'nodes' or 'faults' expected for the cluster '"
            .. name .. "', got " .. kind(model) .. ")")
    end
    for key in pairs(model) do
        if key ~= "nodes" and key ~= "faults" then
            fail("argument", "simulate has no option '" .. tostring(key) .. "' for a cluster "
                .. "(there are 'nodes', 'faults')")
        end
    end
    local nodes, faults = model.nodes, model.faults
    if nodes ~= nil and not ((wholeNumber(nodes, 1) or 1000001) <= 1000000) then
        fail("argument", "bad value for 'nodes' (a whole number from 1 to 1000000 expected, got "
            .. quantity(nodes) .. ")")
    end
    if faults ~= nil and (mathType(faults) == nil or not (faults >= 0 and faults <= 1)) then
        fail("argument", "bad value for 'faults' (a number from 0 to 1 expected, got " .. quantity(faults) .. ")")
    end
    setClusterModel(name, nodes, faults)
end

function functions.simulate(pattern, model, ...)
    refuseMore("simulate", 3, ...)
    if type(pattern) ~= "string" then
        fail("argument", "bad argument #1 to 'simulate' (string expected, got " .. kind(pattern) .. ")")
    end
    if isCluster(pattern) then
        simulateCluster(pattern, model)
        return
    end
    local given = model
    if type(model) == "table" then
        model = fromTable(model)
    elseif type(model) == "function" then
        model = wrap(model)
    end
    if type(model) ~= "function" and not (modes[model] and model ~= "modelled") then
        local got = type(model) == "string" and "'" .. model .. "'" or kind(given)
        fail("argument", "bad argument #2 to 'simulate' "
            .. "(table, function, 'real', 'instant' or 'registered' expected, got " .. got .. ")")
    end
    setModel(pattern, model)
end
