-- The state that a script sees is the one that it can change: until it sees an end, it can cancel the operation and remove dependencies.
local queue = OperationQueue()

--- Gives the workers time without a wait: the script sees nothing of what happens meanwhile.
local function busy()
    for _ = 1, 300000 do end
end

for _ = 1, 20 do
    local work1 = work.compute.primes(10)
    local failing = work.file.read("/does/not/exist")
    failing.allowsFailure = true
    local strict = Operation(function() error "it ran after a cancelled operation" end)
    strict:addDependency(work1, "succeeded")
    local freed = Operation(function() return "ran" end)
    freed:addDependency(failing)
    freed:addDependency(work1)
    local skipped = Operation(function() end)
    skipped:addDependency(failing)
    local last = Operation(function() end)
    last:addDependency(skipped)
    queue:addOperations { work1, failing, strict, freed, skipped, last }
    busy()
    assert(not work1.isFinished)
    work1:cancel()
    assert(work1.isCancelled)
    freed:removeDependency(failing)
    queue:waitUntilAllOperationsAreFinished()
    assert(work1.outcome == "cancelled" and work1.isCancelled and work1.result == nil, work1.outcome)
    assert(strict.outcome == "skipped", strict.outcome)
    assert(freed.outcome == "succeeded", freed.outcome)
    assert(skipped.outcome == "skipped" and last.outcome == "skipped")
end

-- Between two attempts, too: a cancellation lasts, although the script learns later that the attempt before it failed.
for round = 1, 20 do
    local operation = work.file.read("/does/not/exist")
    operation.retry = { attempts = 100000, delay = 0.0001 }
    local seen = {}
    operation:observe("isCancelled", function(change) seen[#seen + 1] = tostring(change.new) end)
    queue:addOperation(operation)
    sleep(0.001)
    if round % 2 == 0 then busy() end
    operation:cancel()
    assert(operation.isCancelled)
    sleep(0)
    assert(operation.isCancelled)
    operation:waitUntilFinished()
    assert(operation.outcome == "cancelled", operation.outcome)
    assert(table.concat(seen, " ") == "true", table.concat(seen, " "))
end
