-- Time passes although an operation waits for a resource that an earlier one in another queue needs, whose turn has not come.
-- arguments: --virtual
local makers = {
    work = function() return work.compute.primes(10) end,
    real = function() return work.file.read(arg[0]) end,
    sleep = function() return work.sleep(0.001) end,
    body = function() return Operation(function() sleep(0.001) end) end,
    block = function() return BlockOperation(work.sleep(0.001), function() end) end,
    group = function() return GroupOperation { work.sleep(0.001) } end,
}
local function adding(queue) return function(op) queue:addOperation(op) end end
local later = {
    default = function() return adding(OperationQueue()) end,
    serial = function() return adding(OperationQueue { maxConcurrentOperationCount = 1 }) end,
    main = function() return adding(OperationQueue.main) end,
    dispatch = function()
        local queue = DispatchQueue { label = "dispatch", attributes = "concurrent" }
        return function(op) queue:async(op) end
    end,
}

local count = 0
for waitingName, makeWaiting in pairs(makers) do
    for lastName, makeLast in pairs(makers) do
        for queueName, makeAdd in pairs(later) do
            local resource = "resource " .. count
            OperationQueue.setResource(resource, 2)
            local target = DispatchQueue { label = "target" }
            local queue = DispatchQueue { label = "queue", target = target }
            local holder, waiting, last = work.sleep(0.005), makeWaiting(), makeLast()
            for _, op in ipairs { holder, waiting, last } do op.resources = { [resource] = 1 } end
            target:async(holder)
            queue:async(waiting)
            sleep(0.001)
            makeAdd()(last)
            sleep(0.05)
            for _, op in ipairs { holder, waiting, last } do
                assert(op.outcome == "succeeded", ("%s %s %s: %s"):format(waitingName, lastName, queueName, op.state))
            end
            count = count + 1
        end
    end
end
assert(count == 144)
