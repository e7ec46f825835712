-- An operation that takes the result of a closure gets it at any time: created before the closure was added, while it waits, once it has ended, and after a drop.
local queue = OperationQueue { isSuspended = true }
local fresh = work.json.encode { 1 }
local ofFresh = work.json.decode(fresh)
local waiting = queue:addOperation(work.json.encode { 2 })
local ofWaiting, again = work.json.decode(waiting), work.json.decode(waiting)
queue:addOperations { fresh, ofFresh, ofWaiting, again }
queue.isSuspended = false
queue:waitUntilAllOperationsAreFinished()
assert(ofFresh.result[1] == 1 and ofWaiting.result[1] == 2 and again.result[1] == 2)

local late = work.json.decode(waiting)
waiting = nil
collectgarbage()
assert(await(late)[1] == 2)

-- An operation whose place was given to others meanwhile.
local chained = work.json.encode { 3 }
queue:addOperation(chained)
for i = 1, 300 do queue:addOperation(work.compute.primes(i)) end
assert(await(work.json.decode(chained))[1] == 3)
