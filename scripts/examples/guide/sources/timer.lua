#!/usr/bin/env opscript
-- A timer source fires at its deadline and then at a fixed interval, until it is cancelled. `data` is the
-- number of fires since the last event, so a slow handler misses none. For a single call at a later time,
-- use `asyncAfter`.
-- In the guide: Dispatch Sources, "Creating a Timer", listing 4-1

-- Creates and activates a timer.
local function makeTimer(interval, leeway, queue, block)
    local timer = DispatchSource.timer({ deadline = 0, repeating = interval, leeway = leeway }, queue)
    timer:setEventHandler(block)
    timer:activate()
    return timer
end

local queue = DispatchQueue { label = "periodic" }
local done = DispatchGroup()
done:enter()

local ticks, events = 0, 0
local timer = makeTimer(0.002, 0.001, queue, function(source)
    events = events + 1
    ticks = ticks + source.data
    if events < 5 then return end
    source:cancel()
    done:leave()
end)
done:wait()
print("cancelled", timer.isCancelled)
print("events", events, "no tick is lost", ticks >= events)

-- A single call at a later time.
DispatchQueue.main:asyncAfter(0.002, function() print("once") end)
