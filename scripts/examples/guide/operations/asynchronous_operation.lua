#!/usr/bin/env opscript
-- An asynchronous operation (a concurrent one in the guide) continues after its body has returned. A class
-- that defines `start` is asynchronous, and nothing else has to be overridden. OpScript updates
-- `isExecuting` and `isFinished` itself.
-- In the guide: Operation Queues, "Configuring Operations for Concurrent Execution", listing 2-5

local Countdown = Operation:subclass "Countdown"

function Countdown:init(options)
    self.from = options.from
end

function Countdown:start()
    self.timer = Timer.scheduledTimer {
        interval = 0.001,
        repeats = true,
        block = function(timer)
            if timer.fireCount < self.from then return end
            timer:invalidate()
            self:finish("lift-off")
        end,
    }
end

local function show(operation, when)
    print(when, "executing", operation.isExecuting, "finished", operation.isFinished)
end

local countdown = Countdown { name = "countdown", from = 3 }
print("asynchronous", countdown.isAsynchronous, countdown.isConcurrent)
show(countdown, "created")

-- This call returns when the `start` hook has returned. The work continues.
countdown:start()
show(countdown, "started")

countdown:waitUntilFinished()
show(countdown, "ended")
print(countdown.result)
