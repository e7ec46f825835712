-- The effects of a script's own `cancel` are visible at once inside a group, whatever has happened unseen.
-- expect-status: 1
-- expect-stdout: done
for _ = 1, 20 do
    local queue = OperationQueue { maxConcurrentOperationCount = 1, failFast = true }
    local failing = Operation(function() error("by plan", 0) end)
    failing.allowsFailure = false
    local inside, deeper = Operation(function() end), Operation(function() end)
    local group = GroupOperation { inside, GroupOperation { deeper } }
    local other = Operation(function() end)
    other:addDependency(failing, "failed")
    queue:addOperation(failing)
    OperationQueue.default:addOperation(other)
    queue:addOperation(group)
    other:cancel()
    other:waitUntilFinished(0.001)
    if group.state ~= "finished" then
        group:cancel()
        assert(group.isCancelled and inside.isCancelled and deeper.isCancelled)
    end
    group:waitUntilFinished()
    assert(group.outcome == "cancelled" and inside.outcome == "cancelled" and deeper.outcome == "cancelled")
end
print "done"
