-- The end of an attempt that comes after its time, during the delay before the next attempt, is ignored.
-- arguments: --virtual
local op
op = Operation { name = "call", timeout = 1, retry = { attempts = 2, delay = 10 },
    start = function(op)
        if op.attempt > 1 then return op:finish("second") end
        Timer.scheduledTimer(2, false, function() op:finish("late") end)
    end }
OperationQueue.default:addOperation(op)
assert(await(op) == "second" and op.attempt == 2)
