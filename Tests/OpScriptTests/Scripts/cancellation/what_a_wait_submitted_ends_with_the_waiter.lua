-- An operation that a wait itself submitted belongs to the waiter: when the waiter is cancelled or its time runs out, and
-- nothing else waits for the operation or depends on it, it is cancelled as well.
local function begins(op)
    while op.state ~= "executing" do sleep(0.0001) end
end

local function waiterOf(wait, options)
    options = options or {}
    options.main = wait
    local waiter = Operation(options)
    OperationQueue():addOperation(waiter)
    return waiter
end

-- Each member of the family; a list as well as one operation.
local ways = {
    function(op) await(op) end,
    function(op) pawait(op) end,
    function(op) await.all { op, work.sleep(0) } end,
    function(op) await.any { op, Gate() } end,
    function(op) await.settled { op, op } end,
}
for place, way in ipairs(ways) do
    local op = work.sleep(3600)
    local waiter = waiterOf(function() way(op) end)
    begins(op)
    waiter:cancel()
    assert(op.isCancelled, "at once")
    assert(op:waitUntilFinished(10) and op.outcome == "cancelled", "way " .. place)
    assert(waiter:waitUntilFinished(10) and waiter.outcome == "cancelled", "way " .. place)
end

-- A Lua body, and a Swift closure that blocks its thread.
for _, op in ipairs { Operation(function() sleep(3600) end), work.block(3600) } do
    local waiter = waiterOf(function() await(op) end)
    begins(op)
    waiter:cancel()
    assert(op:waitUntilFinished(10) and op.outcome == "cancelled")
end

-- The time of the waiter runs out.
local slow = work.sleep(3600)
local late = waiterOf(function() await(slow) end, { timeout = 0.01, allowsFailure = true })
assert(late:waitUntilFinished(10) and late.outcome == "failed" and late.error.code == "timeout")
assert(slow:waitUntilFinished(10) and slow.outcome == "cancelled")

-- A dependency was submitted by the wait, too.
local first, second = work.sleep(3600), work.sleep(0)
second:addDependency(first)
local waiter = waiterOf(function() await(second) end)
begins(first)
assert(second.state == "pending")
waiter:cancel()
assert(first.isCancelled and second.isCancelled)
assert(first:waitUntilFinished(10) and second.outcome == "cancelled")

-- At any depth: the body that was awaited awaits others.
local inner = work.sleep(3600)
local outer = waiterOf(function() await(Operation(function() await(inner) end)) end)
begins(inner)
outer:cancel()
assert(inner:waitUntilFinished(10) and inner.outcome == "cancelled")
