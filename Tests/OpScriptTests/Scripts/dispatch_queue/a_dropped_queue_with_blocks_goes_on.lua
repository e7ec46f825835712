-- Dropping the last reference to a queue with unfinished blocks does not stop it; its finalizer waits for them.
-- expect-stdout: block
-- expect-stdout: finalizer
local finalized = false
local gate = Gate()
do
    local queue = DispatchQueue "q"
    queue.context = "c"
    queue:setFinalizer(function() finalized = true print "finalizer" end)
    queue:async(function() await(gate) print "block" end)
end
for _ = 1, 5 do
    sleep(0)
    collectgarbage()
end
assert(not finalized)
gate:finish()
for _ = 1, 100 do
    sleep(0)
    collectgarbage()
end
