-- `op.progress` is a Progress with `fractionCompleted`.
local op = work.sleep(0.001)
local fraction = op.progress.fractionCompleted
assert(type(fraction) == "number" and fraction >= 0 and fraction <= 1)
await(op)
fraction = op.progress.fractionCompleted
assert(fraction >= 0 and fraction <= 1)
