-- An operation that a wait submitted continues when the waiter is cancelled, if something else waits for it or depends on
-- it; and so does every operation that the script added to a queue.
local queue = OperationQueue()
local function add(main) return queue:addOperation(main) end
-- Bodies of Lua that were added before have run up to their waits then.
local function settle() await(async(function() end)) end

-- Another waiter: the last one takes it along.
local gate = Gate()
local function shared() await(gate) return "result" end
local op = Operation(shared)
local one, two = add(function() await(op) end), add(function() return await(op) end)
settle()
one:cancel()
settle()
assert(not op.isCancelled and op.state == "executing")
two:cancel()
assert(op.isCancelled)

-- A wait that is no `await`.
op = Operation(shared)
one = add(function() await(op) end)
settle()
two = add(function() op:waitUntilFinished() end)
settle()
one:cancel()
settle()
assert(not op.isCancelled)
two:cancel()
assert(op.isCancelled)

-- A dependent that is in a queue, or in none yet.
for _, isAdded in ipairs { true, false } do
    op = Operation(shared)
    local dependent = Operation(function() return "after" end)
    dependent:addDependency(op)
    if isAdded then queue:addOperation(dependent) end
    one = add(function() await(op) end)
    settle()
    one:cancel()
    settle()
    assert(not op.isCancelled)
    dependent:cancel()
    op:cancel()
end

-- Operations that the script added itself.
op = add(shared)
local body = async(shared)
one = add(function() await.all { op, body } end)
settle()
one:cancel()
settle()
assert(not op.isCancelled and not body.isCancelled)

-- A dependency that the script added; only the awaited one is cancelled.
local after = Operation(function() end)
after:addDependency(op)
one = add(function() await(after) end)
settle()
one:cancel()
assert(after.isCancelled and not op.isCancelled)

-- The others of `await.any` continue when it returns; the waiter's end changes nothing.
local other = Operation(shared)
one = add(function() await.any { other, work.sleep(0) } end)
await(one)
settle()
assert(one.outcome == "succeeded" and not other.isCancelled)

-- In a shield the waiter is not interrupted.
local kept = Operation(shared)
one = add(function() shield(function() await(kept) end) end)
settle()
one:cancel()
settle()
assert(not kept.isCancelled)

gate:finish()
assert(await(op) == "result" and await(body) == "result" and await(other) == "result")
queue:waitUntilAllOperationsAreFinished()
assert(kept.outcome == "succeeded")
