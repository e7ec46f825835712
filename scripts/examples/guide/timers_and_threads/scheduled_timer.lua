#!/usr/bin/env opscript
-- A scheduled timer calls a method of its target, once or repeatedly. The method receives the timer, which
-- carries `userInfo`. The engine keeps a scheduled timer, so the script does not have to.
-- In the guide: Timer Programming Topics, "Using Timers", "Scheduled Timers"

local Controller = {}
Controller.__index = Controller

function Controller:fired(timer)
    print(timer.userInfo.label, timer.fireCount, "repeats " .. tostring(timer.repeats))
end

-- Starts a timer that fires once.
function Controller:startOneOffTimer()
    Timer.scheduledTimer {
        interval = 0.002,
        target = self,
        selector = "fired",
        userInfo = { label = "one-off" },
    }
end

-- Starts a repeating timer, and stops the previous one.
function Controller:startRepeatingTimer()
    if self.repeatingTimer then self.repeatingTimer:invalidate() end
    self.repeatingTimer = Timer.scheduledTimer {
        interval = 0.005,
        repeats = true,
        target = self,
        selector = "repeated",
        userInfo = { label = "repeating" },
    }
end

function Controller:repeated(timer)
    self:fired(timer)
    if timer.fireCount == 3 then timer:invalidate() end
end

local controller = setmetatable({}, Controller)
controller:startOneOffTimer()
controller:startRepeatingTimer()
-- The second call replaces the timer of the first one.
controller:startRepeatingTimer()
print("started")
