-- An operation that is finished, or was made and dropped, is gone after a collection, with everything that only it referred to.
-- expect-stderr: was made but never added to a queue
local gone = setmetatable({}, { __mode = "k" })
local function watched()
    local object = {}
    gone[object] = true
    return object
end
local function count()
    -- The host releases its references between turns.
    for _ = 1, 3 do sleep(0) collectgarbage() end
    local number = 0
    for _ in pairs(gone) do number = number + 1 end
    return number
end
local queue = OperationQueue()
-- A function of its own: no register of the main chunk may keep a value of its local variables.
local function run(fn) fn() end
run(function()
    local own = watched()
    Operation(function() return own end)                                    -- never added
end)
run(function()
    local own = watched()
    local op
    op = Operation { main = function() return own, op end, userInfo = own }  -- refers to itself
    op.completionBlock = function(other) return own, other, op end
    queue:addOperation(op)
end)
run(function()
    local own = watched()
    local first, second = work.compute.primes(10), Operation(function() return own end)
    second:addDependency(first)
    second:observe("isFinished", function() return own end)
    queue:addOperations { first, second }
end)
run(function()
    local own = watched()
    local gate = Gate "gate"
    gate.userInfo = own
    gate:finish(own)
end)
run(function()
    local own = watched()
    local group = GroupOperation { Operation(function() return own end) }
    group.userInfo = { own, group }
    queue:addOperation(group)
end)
queue:waitUntilAllOperationsAreFinished()
local left = count()
assert(left == 0, left)
local kept = { Operation(function() return watched() end) }
run(function() await(kept[1]) end)
assert(count() == 1)                                                        -- its result is kept with it
kept[1] = nil
assert(count() == 0)
