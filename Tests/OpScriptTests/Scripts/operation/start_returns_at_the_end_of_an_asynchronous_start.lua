-- `op:start()` of an asynchronous operation returns when its `start` has ended, and the operation continues.
local log = {}
local op = Operation { name = "slow", start = function(op)
    sleep(0.001)
    log[#log + 1] = "start ends"
    Timer.scheduledTimer(0.001, false, function() op:finish(7) end)
end }
op:start()
assert(log[1] == "start ends" and op.isExecuting)
assert(await(op) == 7)
-- One that ends inside of its `start`, and one that fails there.
local quick = Operation { start = function(op) op:finish(1) end }
quick:start()
assert(quick.result == 1)
local failing = Operation { start = function() sleep(0) error("no", 0) end, allowsFailure = true }
failing:start()
assert(failing.outcome == "failed")
pawait(failing)
