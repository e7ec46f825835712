-- Completion blocks of operations that end together follow each other; one that waits continues later, and delays none of them.
local queue, log, resumed = OperationQueue { maxConcurrentOperationCount = 1 }, {}, 0
local held = Gate "held"
local running = {}
local operations = {}
for i = 1, 100 do
    local op = i % 2 == 0 and work.compute.primes(i) or Operation { name = "op " .. i, main = function() return i end }
    op.completionBlock = function(op)
        assert(op == operations[i] and op.isFinished and op.outcome == "succeeded")
        local own = coroutine.running()
        assert(coroutine.status(own) == "running")
        log[#log + 1] = i
        if i % 7 == 0 then
            assert(running[own] == nil, "a coroutine that waits was given to another block")
            running[own] = i
            await(held)
            assert(running[own] == i and coroutine.running() == own)
            running[own] = nil
            resumed = resumed + 1
        else
            assert(running[own] == nil, "this coroutine belongs to a block that waits")
        end
    end
    operations[i] = op
end
queue:addOperations(operations, true)
assert(#log == 100)
for i = 1, 100 do assert(log[i] == i) end
assert(resumed == 0)
held:finish()
while resumed < 14 do sleep(0) end
assert(next(running) == nil)
