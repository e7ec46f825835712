-- The effects of a script's own calls are visible at once.
local queue = OperationQueue()
local never = Gate "never"
local function nothing() end
local function waiting()
    local operation = Operation(nothing)
    operation:addDependency(never)
    return operation
end

-- a group that runs
local running, later = Operation { start = nothing }, waiting()
local deep = Operation(nothing)
deep:addDependency(running)
local inner = GroupOperation { deep }
local group = GroupOperation { running, later, inner }
queue:addOperation(group)
sleep(0.001)
group:cancel()
assert(group.isCancelled and running.isCancelled and later.isCancelled and inner.isCancelled and deep.isCancelled)
assert(later.outcome == "cancelled")
queue:waitUntilAllOperationsAreFinished()
assert(group.outcome == "cancelled" and running.outcome == "cancelled" and deep.outcome == "cancelled")

-- a group that was cancelled before its addition
local inside = Operation(function() error "it ran" end)
group = GroupOperation { inside }
group:cancel()
assert(inside.isCancelled)
queue:addOperation(group)
assert(group.outcome == "cancelled" and inside.outcome == "cancelled" and inside.isCancelled)

-- a group in a suspended queue
local suspended = OperationQueue { isSuspended = true }
inside = Operation(function() error "it ran" end)
group = suspended:addOperation(GroupOperation { inside })
group:cancel()
assert(inside.isCancelled and not group.isFinished)
suspended.isSuspended = false
assert(group.outcome == "cancelled" and inside.outcome == "cancelled")

-- all operations of a queue
local narrow = OperationQueue { maxConcurrentOperationCount = 1 }
local first = narrow:addOperation(function() sleep(30) end)
local second = narrow:addOperation(GroupOperation { waiting() })
sleep(0.001)
narrow:cancelAllOperations()
assert(first.isCancelled and second.isCancelled and second.outcome == "cancelled")
assert(narrow.operationCount == 1)

-- a failure in a queue that fails fast
local fast = OperationQueue { failFast = true }
local asked = Operation { start = nothing }
local other, inGroup = waiting(), Operation(nothing)
group = GroupOperation { inGroup }
group:addDependency(other)
fast:addOperations { asked, other, group }
sleep(0.001)
asked:fail "on purpose"
assert(asked.outcome == "failed" and other.outcome == "cancelled" and group.isCancelled and inGroup.isCancelled)
pawait(asked)

-- operations that a failure skips, and a gate
local gate = Gate "gate"
gate.allowsFailure = true
local dependent, last = Operation(nothing), Operation(nothing)
dependent:addDependency(gate)
last:addDependency(dependent)
queue:addOperations { dependent, last }
gate:fail "on purpose"
assert(dependent.outcome == "skipped" and last.outcome == "skipped")
gate = Gate "gate"
dependent = Operation(nothing)
dependent:addDependency(gate)
queue:addOperation(dependent)
gate:cancel()
assert(gate.outcome == "cancelled" and dependent.isReady)

-- an operation that is started after it was cancelled
local byHand = Operation(nothing)
byHand:cancel()
byHand:start()
assert(byHand.outcome == "cancelled")
