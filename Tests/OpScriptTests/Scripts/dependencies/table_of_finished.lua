-- "finished": runs after the other ended with any outcome.
local function nothing() end
local good, gone = Operation(nothing), Operation(nothing)
local bad = Operation { allowsFailure = true, main = function() error("x") end }
gone:cancel()
local skipped, quiet = Operation(nothing), Operation(nothing)
skipped:addDependency(bad)
quiet:addDependency(good, "failed")
local queue = OperationQueue()
for _, other in ipairs { good, bad, gone, skipped, quiet } do
    local op = Operation(function()
        assert(other.isFinished)
        return "ran"
    end)
    op:addDependency(other, "finished")
    op.completionBlock = function() assert(op.outcome == "succeeded", tostring(other.outcome)) end
    queue:addOperation(op)
end
queue:addOperations({ good, bad, gone, skipped, quiet })
queue:waitUntilAllOperationsAreFinished()
