-- While one call of an observer waits, the next changes queue up, however many; they come one after the other.
local queue = OperationQueue { isSuspended = true }
local operation = queue:addOperation(function() end)
local called, last = 0, nil
operation:observe("queuePriority", function(change)
    called = called + 1
    if last then assert(change.old == last, called) else sleep(0.01) end
    last = change.new
end)
for number = 1, 50000 do operation.queuePriority = number % 2 == 0 and "high" or "low" end
while called < 50000 do sleep(0) end
queue.isSuspended = false
