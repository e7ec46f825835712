-- With "prior" there is one more call before the call for each change, with `isPrior` and the old value.
local calls = {}
local function note(change)
    calls[#calls + 1] = ("%s %s %s %s"):format(change.key, change.isPrior, change.old, change.new)
end
local op = Operation(function() return 1 end)
op:observe("isFinished", { "initial", "prior" }, note)
await(op)
assert(table.concat(calls, "; ")
    == "isFinished nil nil false; isFinished true false nil; isFinished nil false true", table.concat(calls, "; "))

-- A call that waits does not change the order.
calls = {}
local progress = Progress(4)
progress:observe("fractionCompleted", { "prior", "initial" }, function(change) sleep(0) note(change) end)
progress.completedUnitCount = 1
progress.completedUnitCount = 4
repeat sleep(0) until #calls >= 5
assert(table.concat(calls, "; ") == "fractionCompleted nil nil 0.0; "
    .. "fractionCompleted true 0.0 nil; fractionCompleted nil 0.0 0.25; "
    .. "fractionCompleted true 0.25 nil; fractionCompleted nil 0.25 1.0", table.concat(calls, "; "))

-- For the operations of a queue it has the operation that comes or goes.
local queue, seen = OperationQueue(), {}
queue:observe("operations", { "prior" }, function(change)
    assert(change.inserted == op or change.removed == op)
    seen[#seen + 1] = (change.inserted and "inserted" or "removed") .. (change.isPrior and "?" or "!")
end)
op = queue:addOperation(Operation(function() end))
await(op)
assert(table.concat(seen, " ") == "inserted? inserted! removed? removed!", table.concat(seen, " "))
