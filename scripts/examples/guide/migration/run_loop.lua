#!/usr/bin/env opscript
-- A thread with a run loop becomes a serial queue. Messages to the thread become tasks. Its input sources
-- and timers become dispatch sources that use this queue.
-- In the guide: Migrating Away from Threads, "Replacing Run-Loop Code"

local loop = DispatchQueue { label = "loop" }

-- Sends a message to the loop.
local received = {}
local function send(message) loop:async(function() received[#received + 1] = message end) end

-- Data that arrives at a descriptor.
local pipe = assert(io.popen("printf 'from a pipe'"))
local finished = DispatchGroup()
local input = DispatchSource.read(pipe, loop)
finished:enter()
input:setEventHandler(function()
    if input.data == 0 then return input:cancel() end
    received[#received + 1] = pipe:read(input.data)
end)
input:setCancelHandler(function()
    pipe:close()
    finished:leave()
end)
input:activate()

-- A timer of the loop.
local timer = DispatchSource.timer({ deadline = 0.001 }, loop)
finished:enter()
timer:setEventHandler(function()
    received[#received + 1] = "from a timer"
    timer:cancel()
end)
timer:setCancelHandler(function() finished:leave() end)
timer:activate()

send "from the script"
finished:wait()
loop:sync(function()
    -- The three messages are independent of each other, so their order is not fixed.
    table.sort(received)
    print(table.concat(received, "\n"))
end)
