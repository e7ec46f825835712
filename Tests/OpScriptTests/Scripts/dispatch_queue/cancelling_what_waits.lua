-- A waiter in a `sync` can be cancelled; its body continues, and a body that is cancelled in the queue never runs.
local queue = DispatchQueue "q"
local gate, ran = Gate(), 0
queue:async(function() await(gate) end)
local skipped = queue:async(function() ran = ran + 100 end)
skipped:cancel()
local code
local waiter = async(function()
    local ok, err = pcall(queue.sync, queue, function() ran = ran + 1 end)
    code = err.code
end)
sleep(0)
waiter:cancel()
waiter:waitUntilFinished()
assert(code == "cancelled" and ran == 0)
gate:finish()
queue:sync(function() end)
assert(ran == 1 and skipped.outcome == "cancelled")
