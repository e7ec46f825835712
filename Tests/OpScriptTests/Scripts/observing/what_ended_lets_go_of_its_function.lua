-- An observation that was invalidated releases its function, for all kinds of observations.
local queue, op, progress = OperationQueue(), Gate "gate", Progress(10)
local gone = setmetatable({}, { __mode = "k" })
local function observe(object, key)
    local big = {}
    gone[big] = true
    return object:observe(key, function() return big end)
end
local observations = {
    observe(queue, "operationCount"), observe(op, "isFinished"), observe(progress, "fractionCompleted"),
    observe(OperationQueue.main, "operationCount"),
}
collectgarbage()
local count = 0
for _ in pairs(gone) do count = count + 1 end
assert(count == 4)
for _, observation in ipairs(observations) do
    observation:invalidate()
    observation:invalidate()
    assert(not observation.isValid)
end
sleep(0)
collectgarbage() collectgarbage()
assert(next(gone) == nil)
queue:addOperation(function() end)
op:finish()
queue:waitUntilAllOperationsAreFinished()
