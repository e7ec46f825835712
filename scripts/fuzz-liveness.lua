-- A random job over queues of all classes: its operations have to end without help. opscript
-- scripts/fuzz-liveness.lua SEED
local seed = math.tointeger(tonumber(arg[1])) or 1
math.randomseed(seed)

local function oneIn(count) return math.random(count) == 1 end

local classes = { "background", "utility", "default", "high" }
local queues = {}
for _ = 1, math.random(4) do
    local queue = OperationQueue {}
    if oneIn(3) then queue.maxConcurrentOperationCount = math.random(3) end
    queues[#queues + 1] = queue
end

local operations = {}
local function make()
    local operation = work.compute.primes(math.random(2000))
    if oneIn(2) then operation.threadPriority = math.random() end
    if oneIn(3) then operation.queuePriority = ({ "veryLow", "low", "high", "veryHigh" })[math.random(4)] end
    if #operations > 0 and oneIn(4) then operation:addDependency(operations[math.random(#operations)]) end
    operations[#operations + 1] = operation
    return operation
end

for _ = 1, 10 + math.random(60) do
    local queue = queues[math.random(#queues)]
    local deed = math.random(9)
    if deed <= 5 then
        queue:addOperation(make())
    elseif deed == 6 then
        local item = DispatchQueue.global(classes[math.random(4)]):async(work.compute.primes(math.random(20000)))
        if oneIn(2) then item:cancel() end
    elseif deed == 7 and #operations > 0 then
        operations[math.random(#operations)]:cancel()
    elseif deed == 8 then
        queue.isSuspended = true
        queue:addOperation(make())
        queue.isSuspended = false
    elseif deed == 9 then
        queue:cancelAllOperations()
    end
end
