-- `notify` adds its bodies to their queues when the group is empty, in order; at once if it is empty already.
-- expect-stdout: at once
-- expect-stdout: first
-- expect-stdout: second	25
-- expect-stdout: item
local group, queue = DispatchGroup(), DispatchQueue "q"
group:notify(queue, function() print "at once" end)
queue:sync(function() end)
group:enter()
group:notify(queue, function() print "first" end)
local op = work.compute.primes(100)
op.completionBlock = function() print("second", op.result) end
group:notify(queue, op)
local item = DispatchWorkItem(function() print "item" end)
group:notify(queue, item)
sleep(0.005)
group:leave()
item:wait()
