-- A function `key` that fails, waits or returns something else refuses the addition, which then has no effect.
local answer
local queue = OperationQueue { name = "net", rate = { 1, key = function(op) return answer(op) end } }
local function refused(fn, part)
    answer = fn
    local op = Operation { name = "get", main = function() end }
    local ok, err = pcall(queue.addOperation, queue, op)
    assert(not ok and tostring(err):find(part, 1, true), tostring(err))
    assert(queue.operationCount == 0 and op.state == "pending" and op.queue == nil)
end
refused(function() error "no host" end, "the function 'key' of the rate of queue 'net' failed: ")
refused(function() error "no host" end, "no host")
refused(function() sleep(1) end, "cannot wait here")
refused(function() return {} end, "the function 'key' of the rate of queue 'net' returned table (string, number")
refused(function() return 0 / 0 end, "returned NaN")
-- All or none.
answer = function(op) return op.name == "bad" and {} or "host" end
local good, bad = Operation { name = "good", main = function() end }, Operation { name = "bad", main = function() end }
assert(not pcall(queue.addOperations, queue, { good, bad }))
assert(queue.operationCount == 0 and good.queue == nil)
queue:addOperation(good)
good:waitUntilFinished()
-- The same for map.
answer = function(op) error("none for " .. op.name) end
local ok, err = pcall(queue.map, queue, { 1, 2 }, function(i) return Operation { name = "op" .. i, main = function() end } end)
assert(not ok and tostring(err):find "none for op1", tostring(err))
