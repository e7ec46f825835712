#!/usr/bin/env opscript
-- A group counts tasks in one queue or in several. A script can wait for all of them, or have another task
-- started after the last one. `enter` and `leave` add work that is not a task of a queue.
-- In the guide: Dispatch Queues, "Waiting on Groups of Queued Tasks", listing 3-6

local group = DispatchGroup()
local parsing = DispatchQueue.global()
local writing = DispatchQueue { label = "writing" }

local results = {}
for place, text in ipairs { "[1, 2]", "[3]", "[4, 5, 6]" } do
    parsing:async { function() results[place] = #await(work.json.decode(text)) end, group = group }
end
writing:async { function() results.written = true end, group = group }

group:enter()
Timer.scheduledTimer { interval = 0.001, block = function()
    results.timer = "fired"
    group:leave()
end }

print("the script does something else")
print("done already:", group:wait(0))

group:wait()
print(table.concat(results, " "), results.written, results.timer)

-- An empty group can be used again. This time a task is started after the last one.
parsing:async { work.compute.primes(1000), group = group }
group:notify(DispatchQueue.main, function() print("the second round is done") end)
