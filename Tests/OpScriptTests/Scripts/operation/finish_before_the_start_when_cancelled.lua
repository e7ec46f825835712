-- `op:finish` before its start is no error when it was cancelled.
local op = Operation { start = function() error("must not start") end }
op:cancel()
op:finish("ignored or taken as the end")
sleep(0)
assert(op.isCancelled and (op.outcome == nil or op.outcome == "cancelled"))
assert(op.result == nil)
