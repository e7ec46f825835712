-- Between attempts it holds no resources.
OperationQueue.setResource("tape", 1)
local queue, attempts = OperationQueue(), 0
local again = Operation { retry = { attempts = 2, delay = 600 }, main = function()
    attempts = attempts + 1
    error("again")
end }
local other = Operation(function() return "ran between" end)
again.resources = { tape = 1 }
other.resources = { tape = 1 }
queue:addOperations { again, other }
other:waitUntilFinished()
assert(other.result == "ran between" and attempts == 1 and not again.isFinished)
again:cancel()
queue:waitUntilAllOperationsAreFinished()
