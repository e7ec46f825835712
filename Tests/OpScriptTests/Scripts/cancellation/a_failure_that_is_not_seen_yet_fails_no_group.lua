-- An operation that has failed and is not seen as finished can still be cancelled: then it fails no group around it.
for _ = 1, 5 do
    local failing, other = work.file.read("no such file"), work.compute.primes(10)
    local inner = GroupOperation { failing }
    local group = GroupOperation { inner, other }
    local ran = false
    local after = Operation { dependencies = { group }, main = function() ran = true end }
    local queue = OperationQueue()
    queue:addOperations { group, after }
    -- Its body ends meanwhile.
    local start = os.clock()
    while os.clock() - start < 0.05 do end
    failing:cancel()
    queue:waitUntilAllOperationsAreFinished()
    assert(failing.outcome == "cancelled", failing.outcome)
    assert(inner.outcome == "succeeded" and group.outcome == "succeeded", inner.outcome .. " " .. group.outcome)
    assert(inner.error == nil and group.error == nil and ran)
end
