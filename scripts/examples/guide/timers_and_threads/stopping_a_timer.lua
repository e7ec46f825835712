#!/usr/bin/env opscript
-- A timer that does not repeat stops after its fire. A repeating timer stops when it is invalidated, from
-- its own block or from elsewhere, also before its first fire. An invalidated timer releases its block and
-- its `userInfo`, and it cannot be scheduled again.
-- In the guide: Timer Programming Topics, "Using Timers", "Stopping a Timer"

local function show(name, timer)
    print(name, "valid " .. tostring(timer.isValid), "fired " .. timer.fireCount)
end

local group = DispatchGroup()

-- This timer stops after its fire.
group:enter()
local single = Timer.scheduledTimer(0.001, false, function() group:leave() end)

-- This timer is stopped from its own block.
group:enter()
local counted = Timer.scheduledTimer {
    interval = 0.001,
    repeats = true,
    userInfo = { limit = 3 },
    block = function(timer)
        if timer.fireCount < timer.userInfo.limit then return end
        timer:invalidate()
        group:leave()
    end,
}

-- This timer is stopped before its first fire.
local prevented = Timer.scheduledTimer(60, true, function() print("never") end)
prevented:invalidate()

-- `fire` runs the block at once. A repeating timer keeps its schedule.
local manual = Timer.scheduledTimer(60, true, function() print("fired by hand") end)
manual:fire()
show("manual", manual)
manual:invalidate()

group:wait()
show("single", single)
show("counted", counted)
show("prevented", prevented)
print("user info", counted.userInfo)
print("again", pcall(counted.schedule, counted) and "scheduled" or "refused")
