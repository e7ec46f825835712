-- A work item can be given to a queue, performed, waited for, and notifies of its end.
-- expect-stdout: body
-- expect-stdout: notified
-- expect-stdout: performed	7
local queue = DispatchQueue "q"
local item = DispatchWorkItem(function() print "body" return 7 end)
item:notify(queue, function() print "notified" end)
queue:async(item)
assert(item:wait() == true)
queue:sync(function() end)
print("performed", DispatchWorkItem(function() sleep(0) return 7 end):perform())
assert(queue:sync(DispatchWorkItem(work.compute.primes(10))) == 4)
assert(DispatchWorkItem(work.compute.primes(10)):perform() == 4)
local later = DispatchWorkItem(function() end)
queue:asyncAfter(0.01, later)
assert(later:wait(0) == false and later:wait() == true)
local ok, err = pcall(DispatchWorkItem(function() error("boom") end).perform, DispatchWorkItem(function() error("boom") end))
assert(not ok and err:find("boom"))
