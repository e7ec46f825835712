-- A wait for a queue whose target is suspended names the target; operations that can never run set status 3.
-- expect-status: 3
-- expect-stderr: queue 'upper' is suspended and nothing is left that could resume it
local upper = DispatchQueue "upper"
local queue = DispatchQueue { label = "lower", target = upper }
upper:suspend()
local ok, err = pcall(queue.sync, queue, function() end)
assert(not ok and err.code == "deadlock")
assert(err:find("queue 'upper' is suspended and nothing is left that could resume it", 1, true), err)
