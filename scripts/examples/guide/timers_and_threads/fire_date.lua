#!/usr/bin/env opscript
-- The first fire of a timer may have its own date, which does not depend on the interval. `fireDate` sets
-- it, and the later fires follow at the interval. Without a date, as in the second timer, the first fire
-- comes after one interval.
-- In the guide: Timer Programming Topics, "Using Timers", "Initializing a Timer with a Fire Date"

local count = { first = 0, second = 0 }
local second = Timer.scheduledTimer(0.002, true, function() count.second = count.second + 1 end)

-- The second timer does not keep the run alive.
second.keepsAlive = false

local date = clock.date() + 0.03

local first = Timer {
    fireDate = date,
    interval = 0.001,
    repeats = true,
    block = function(timer)
        count.first = count.first + 1
        if count.first == 1 then
            print("the first fire is not early", clock.date() >= date)
            print("the second timer has fired before", count.second > 0)
        end
        if count.first == 3 then timer:invalidate() end
    end,
}
first:schedule()
