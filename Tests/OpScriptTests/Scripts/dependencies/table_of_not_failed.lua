-- "notFailed" (default): runs if the other succeeded, was cancelled or skipped quietly; otherwise it is skipped.
local function nothing() end
local good, gone = Operation(nothing), Operation(nothing)
local bad = Operation { allowsFailure = true, main = function() error("x") end }
gone:cancel()
local skipped, quiet = Operation(nothing), Operation(nothing)
skipped:addDependency(bad)
quiet:addDependency(good, "failed")
local queue = OperationQueue { isSuspended = true }
queue:addOperations { good, bad, gone, skipped, quiet }
for other, expected in pairs {
    [good] = "succeeded", [gone] = "succeeded", [quiet] = "succeeded", [bad] = "skipped",
    [skipped] = "skipped",
} do
    for _, when in ipairs { "default", "notFailed" } do
        local op = Operation(function() end)
        op:addDependency(other, when ~= "default" and when or nil)
        op.completionBlock = function()
            assert(op.outcome == expected, tostring(other.outcome) .. " gave " .. op.outcome)
            assert((op.error ~= nil) == (expected == "skipped"))
        end
        queue:addOperation(op)
    end
end
queue.isSuspended = false
queue:waitUntilAllOperationsAreFinished()
assert(skipped.outcome == "skipped" and skipped.error and quiet.outcome == "skipped" and quiet.error == nil)
