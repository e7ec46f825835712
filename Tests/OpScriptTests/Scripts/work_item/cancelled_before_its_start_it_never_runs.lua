-- A work item that was cancelled before its start never runs; its end is still reported. A running one sees the flag.
local queue = DispatchQueue "q"
local gate, ran, told = Gate(), false, false
queue:async(function() await(gate) end)
local item = DispatchWorkItem(function() ran = true end)
queue:async(item)
item:notify(queue, function() told = true end)
item:cancel()
assert(item.isCancelled and item:wait())
gate:finish()
queue:sync(function() end)
assert(not ran and told)
item = DispatchWorkItem(function() ran = true end)
item:cancel()
assert(queue:async(item) and item:perform() == nil and not ran)
local running
running = DispatchWorkItem(function()
    running:cancel()
    sleep(0)
    return running.isCancelled
end)
assert(queue:sync(running) == true)
