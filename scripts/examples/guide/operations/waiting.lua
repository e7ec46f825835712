#!/usr/bin/env opscript
-- A script can wait for one operation, for several, or for a whole queue. A wait stops only the code that
-- waits: other bodies, timers and handlers continue. Where possible, use a dependent operation instead of
-- a wait.
-- In the guide: Operation Queues, "Waiting for Operations to Finish"

local queue = OperationQueue { name = "counting" }

-- One operation. `await` returns its result and raises its error; `waitUntilFinished` does neither.
print(await(queue:addOperation(work.compute.primes(100))))
local missing = work.file.read("/no/such/file")
missing.allowsFailure = true
queue:addOperation(missing)
print(missing:waitUntilFinished(), missing.outcome)

-- Several: the results, in the order of the list.
print(table.concat(await.all { work.compute.primes(10), work.compute.primes(1000) }, " "))

-- With a time limit, the wait returns whether the operation has ended.
local gate = Gate "open"
local held = Operation { name = "held", dependencies = { gate }, main = function() end }
queue:addOperation(held)
print("within the limit:", held:waitUntilFinished(0.001))
gate:finish()
print("without a limit:", held:waitUntilFinished())

-- A whole queue, including operations that are added during the wait.
local names = {}
queue:addOperation(function()
    names[#names + 1] = "first"
    queue:addOperation(function() names[#names + 1] = "added by the first" end)
end)
queue:waitUntilAllOperationsAreFinished()
print(table.concat(names, ", "), queue.operationCount)

-- No wait at all: the operation that needs the result depends on the other one.
local count = work.compute.primes(1000)
local report = Operation { name = "report", main = function() print("reports " .. count.result) end }
report:addDependency(count)
queue:addOperations { count, report }
