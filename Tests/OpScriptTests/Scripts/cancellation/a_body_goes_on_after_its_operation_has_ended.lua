-- Waits raise `cancelled` in a body whose operation was cancelled, and not in one that ended its operation itself.
-- arguments: --virtual
local waits = {}
local operation = Operation { start = function(operation)
    operation:finish(1)
    waits[1] = pcall(sleep, 0.01)
    waits[2] = pcall(sleep, 0.01)
end }
await(operation)
operation = nil
sleep(0.05)
assert(waits[1] and waits[2])
