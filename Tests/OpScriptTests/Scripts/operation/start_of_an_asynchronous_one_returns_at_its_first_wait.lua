-- `op:start()` of an asynchronous operation returns at the end or the first wait of its `start`; the operation continues.
local gate, log = Gate(), {}
local op = Operation { name = "slow", start = function(op)
    log[1] = "begun"
    await(gate)
    op:finish(7)
end }
op:start()
assert(log[1] == "begun" and op.isExecuting)
gate:finish()
assert(await(op) == 7)
-- One that ends inside of its `start`.
local quick = Operation { start = function(op) op:finish(1) end }
quick:start()
assert(await(quick) == 1)
