-- Every transition is delivered once and in order: what is observed begins with the value before and ends with the last one.
local keys = { "isReady", "isExecuting", "isFinished", "isCancelled", "outcome" }
local queue = OperationQueue()
local missing = "/does/not/exist"

local kinds = {
    function() return work.compute.primes(math.random(200)) end,
    function() return work.file.read(missing) end,
    function() return Operation(function() sleep(0) end) end,
    function()
        local operation = work.file.read(missing)
        operation.retry = { attempts = 3, delay = math.random(2) * 0.0001 }
        return operation
    end,
    function()
        local operation = work.sleep(0.01)
        operation.timeout = 0.001
        operation.retry = { attempts = 2, delay = 0.0001 }
        return operation
    end,
    function() return work.sleep(0.0003) end,
}

local faults = {}
local function watch(operation)
    local last = {}
    for _, key in ipairs(keys) do
        last[key] = operation[key]
        operation:observe(key, function(change)
            if change.old ~= last[key] or change.new == last[key] then
                faults[#faults + 1] = ("%s was %s: %s to %s"):format(key, last[key], change.old, change.new)
            end
            last[key] = change.new
        end)
    end
    return last
end

for _ = 1, 60 do
    local operations, last = {}, {}
    for place = 1, 6 do
        local operation = kinds[math.random(#kinds)]()
        operation.allowsFailure = true
        operations[place], last[place] = operation, watch(operation)
        if place > 1 and math.random(2) == 1 then
            operation:addDependency(operations[math.random(place - 1)], "finished")
        end
    end
    for _, operation in ipairs(operations) do
        queue:addOperation(operation, math.random(4) == 1 and { after = 0.0002 } or nil)
    end
    for _ = 1, math.random(3) do
        for _ = 1, math.random(30000) do end
        if math.random(2) == 1 then sleep(math.random(3) * 0.0004) end
        if math.random(2) == 1 then operations[math.random(6)]:cancel() end
    end
    queue:waitUntilAllOperationsAreFinished()
    sleep(0)
    for place, operation in ipairs(operations) do
        for _, key in ipairs(keys) do
            if last[place][key] ~= operation[key] then
                faults[#faults + 1] = ("%s ends as %s, seen %s"):format(key, operation[key], last[place][key])
            end
        end
    end
end
assert(#faults == 0, table.concat(faults, "\n"))
