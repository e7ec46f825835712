#!/usr/bin/env opscript
-- A service that reads its configuration again at SIGHUP, and ends at SIGTERM or SIGINT after cleaning up.
--
--     opscript reload_on_signal.lua CONFIGURATION &
--     kill -HUP $!
--
-- CONFIGURATION has lines `name = value`; `interval` is the number of seconds between two rounds of work. Shows: sources for
-- signals that replace the command's own handling, and a timer that is replaced while everything else continues.

local path = arg[1]
if not path or #arg > 1 then
    io.stderr:write("usage: opscript reload_on_signal.lua CONFIGURATION\n")
    os.exit(2)
end

local function read()
    local settings = {}
    for line in await(work.file.read(path)):gmatch("[^\n]+") do
        local name, value = line:match("^%s*(%w+)%s*=%s*(.-)%s*$")
        if name then settings[name] = tonumber(value) or value end
    end
    if not math.type(settings.interval) or settings.interval <= 0 then error("interval: a number above 0 expected", 0) end
    return settings
end

local rounds, timer = 0, nil

local function begin(settings)
    if timer then timer:cancel() end
    timer = DispatchSource.timer { deadline = 0, repeating = settings.interval }
    timer:setEventHandler(function() rounds = rounds + 1 end)
    timer:activate()
    print(("works every %g s: %s"):format(settings.interval, settings.greeting or "no greeting"))
    io.stdout:flush()
end

-- Several signals while one reload runs lead to one more reload, not to several.
local reload = DispatchSource.signal("SIGHUP")
reload:setEventHandler(function()
    local good, settings = pcall(read)
    if good then return begin(settings) end
    io.stderr:write("reload_on_signal: continues as before: ", tostring(settings), "\n")
end)
reload:activate()

local sources = { reload }
for _, name in ipairs { "SIGTERM", "SIGINT" } do
    local source = DispatchSource.signal(name)
    source:setEventHandler(function()
        for _, other in ipairs(sources) do other:cancel() end
        if timer then timer:cancel() end
        print(("%s: ends after %s"):format(name, rounds > 0 and "its work" or "no work at all"))
    end)
    source:activate()
    sources[#sources + 1] = source
end

-- Printed once the script handles the signals.
local ok, problem = pcall(function() begin(read()) end)
if not ok then
    io.stderr:write("reload_on_signal: ", tostring(problem), "\n")
    os.exit(1)
end
