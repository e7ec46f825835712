-- "succeeded": runs if the other succeeded; otherwise it is skipped.
local function nothing() end
local good, gone = Operation(nothing), Operation(nothing)
local bad = Operation { allowsFailure = true, main = function() error("x") end }
gone:cancel()
local skipped, quiet = Operation(nothing), Operation(nothing)
skipped:addDependency(bad)
quiet:addDependency(good, "failed")
local queue = OperationQueue()
local expected = {
    [good] = "succeeded", [gone] = "skipped", [quiet] = "skipped", [bad] = "skipped", [skipped] = "skipped",
}
local dependents = {}
for other in pairs(expected) do
    dependents[other] = Operation(function() end)
    dependents[other]:addDependency(other, "succeeded")
    queue:addOperation(dependents[other])
end
queue:addOperations({ good, bad, gone, skipped, quiet })
queue:waitUntilAllOperationsAreFinished()
for other, op in pairs(dependents) do
    assert(op.outcome == expected[other], other.outcome .. " gave " .. op.outcome)
    assert((op.error ~= nil) == (op.outcome == "skipped"), "an error goes with being skipped")
end
