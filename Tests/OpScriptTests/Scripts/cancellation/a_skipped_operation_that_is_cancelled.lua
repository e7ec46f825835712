-- If an operation that is skipped is cancelled before its end, its outcome is cancelled.
-- expect-stdout: after the cancelled one
local failed = Gate "failed"
failed.allowsFailure = true
failed:fail "on purpose"
local queue = OperationQueue { isSuspended = true }
local operation = Operation(function() error "it ran" end)
operation:addDependency(failed)
local dependent = Operation(function() print "after the cancelled one" end)
dependent:addDependency(operation)
local inside = Operation(function() error "it ran" end)
local group = GroupOperation { inside }
group:addDependency(failed)
local skippedInside = Operation(function() error "it ran" end)
skippedInside:addDependency(failed)
local cancelledGroup = GroupOperation { skippedInside }
queue:addOperations { operation, dependent, group, cancelledGroup }
sleep(0)
operation:cancel()
inside:cancel()
cancelledGroup:cancel()
assert(operation.isCancelled and not operation.isFinished and inside.isCancelled and skippedInside.isCancelled)
queue.isSuspended = false
queue:waitUntilAllOperationsAreFinished()
assert(operation.outcome == "cancelled" and operation.error == nil)
assert(dependent.outcome == "succeeded")
assert(group.outcome == "skipped" and inside.outcome == "cancelled" and inside.error == nil)
assert(cancelledGroup.outcome == "cancelled" and skippedInside.outcome == "cancelled")
