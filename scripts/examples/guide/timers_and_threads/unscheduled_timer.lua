#!/usr/bin/env opscript
-- This timer is created in one function and scheduled in another. It does not fire before it is scheduled,
-- and until then the script has to keep it. Its action is an invocation: any method, with any arguments.
-- In the guide: Timer Programming Topics, "Using Timers", "Unscheduled Timers"

local Controller = {}
Controller.__index = Controller

function Controller:greet(greeting, name)
    self.greetings = self.greetings + 1
    print(greeting .. ", " .. name .. "!", self.greetings)
    if self.greetings == 2 then self:stop() end
end

function Controller:create()
    self.greetings = 0
    self.timer = Timer {
        interval = 0.002,
        repeats = true,
        invocation = { self, "greet", "Good morning", "Ada" },
    }
end

function Controller:start()
    self.timer:schedule()
end

function Controller:stop()
    self.timer:invalidate()
    print("valid", self.timer.isValid, "fired", self.timer.fireCount)
end

local controller = setmetatable({}, Controller)
controller:create()
print("valid", controller.timer.isValid, "fires at", controller.timer.fireDate)
controller:start()
print("scheduled", controller.timer.fireDate ~= nil)
