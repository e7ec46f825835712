-- An operation as an argument is replaced by its result, whenever the new operation is made.
local function value() return "R" end
local Doubler = Operation:subclass "Doubler"
function Doubler:main() return "R" end
local producers = {
    lua = function() return Operation(value) end,
    sleeping = function() return Operation(function() sleep(0.001) return "R" end) end,
    several = function() return Operation(function() return "R", 2 end) end,
    block = function() return BlockOperation(value) end,
    blocks = function() return BlockOperation(value, function() return 2 end) end,
    invocation = function() return InvocationOperation({ value = value }, "value") end,
    subclass = function() return Doubler() end,
    asynchronous = function() return Operation { start = function(op) op:finish("R") end } end,
    later = function()
        return Operation { start = function(op)
            Timer.scheduledTimer(0.001, false, function() op:finish("R") end)
        end }
    end,
    isolate = function() return isolate(value)() end,
    work = function() return work.json.decode '"R"' end,
    retried = function()
        local count = 0
        local op = Operation(function() count = count + 1 if count == 1 then error "once" end return "R" end)
        op.retry = { attempts = 2, delay = 0 }
        return op
    end,
}
local consumers = {
    list = function(op) return work.json.encode { op }, '["R"]' end,
    field = function(op) return work.json.encode { to = op }, '{"to":"R"}' end,
    isolate = function(op) return isolate(function(x) return x end)(op), "R" end,
}
-- Each calls `make` at some moment around the end of an operation that is added beside it.
local moments = {
    completion = function(make) local op = Operation(function() end) op.completionBlock = make return op end,
    observer = function(make)
        local op = Operation(function() end)
        op:observe("isFinished", make)
        return op
    end,
    ofWork = function(make) local op = work.json.encode(1) op.completionBlock = make return op end,
    body = function(make) return Operation(make) end,
    waiting = function(make) return Operation(function() sleep(0.001) make() end) end,
    busy = function(make)
        return Operation(function()
            for _ = 1, 20000 do end
            make()
        end)
    end,
}
local queues = { OperationQueue(), OperationQueue { maxConcurrentOperationCount = 1 }, OperationQueue.main }
local made, expected = {}, {}
for producer, produce in pairs(producers) do
    for consumer, consume in pairs(consumers) do
        for moment, at in pairs(moments) do
            for place, queue in ipairs(queues) do
                for _, isFirst in ipairs { true, false } do
                    local op = produce()
                    local other = at(function()
                        local taker, result = consume(op)
                        taker.name = ("%s, %s, %s, %d, %s"):format(producer, consumer, moment, place, isFirst)
                        made[#made + 1] = taker
                        expected[taker] = result
                        OperationQueue.default:addOperation(taker)
                    end)
                    queue:addOperations(isFirst and { op, other } or { other, op })
                end
            end
        end
    end
end
for _, queue in ipairs(queues) do queue:waitUntilAllOperationsAreFinished() end
OperationQueue.default:waitUntilAllOperationsAreFinished()
local wrong = {}
for _, taker in ipairs(made) do
    if taker.result ~= expected[taker] then
        wrong[#wrong + 1] = ("%s: %s %s"):format(taker.name, taker.outcome, tostring(taker.result))
    end
end
assert(#wrong == 0, ("%d of %d lost it:\n%s"):format(#wrong, #made, table.concat(wrong, "\n", 1, math.min(#wrong, 20))))
assert(#made == 12 * 3 * 6 * 3 * 2, #made)
