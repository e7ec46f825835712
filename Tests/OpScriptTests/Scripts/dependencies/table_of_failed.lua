-- "failed": runs if the other failed or was skipped with an error; otherwise it is skipped quietly, without error.
local function nothing() end
local good, gone = Operation(nothing), Operation(nothing)
local bad = Operation { allowsFailure = true, main = function() error("x") end }
gone:cancel()
local skipped, quiet = Operation(nothing), Operation(nothing)
skipped:addDependency(bad)
quiet:addDependency(good, "failed")
local queue = OperationQueue()
local expected = {
    [good] = "skipped", [gone] = "skipped", [quiet] = "skipped", [bad] = "succeeded", [skipped] = "succeeded",
}
local dependents = {}
for other in pairs(expected) do
    dependents[other] = Operation(function() end)
    dependents[other]:addDependency(other, "failed")
    queue:addOperation(dependents[other])
end
queue:addOperations({ good, bad, gone, skipped, quiet })
queue:waitUntilAllOperationsAreFinished()
for other, op in pairs(dependents) do
    assert(op.outcome == expected[other], other.outcome .. " gave " .. op.outcome)
    assert(op.error == nil, "skipped quietly, yet with an error")
end
