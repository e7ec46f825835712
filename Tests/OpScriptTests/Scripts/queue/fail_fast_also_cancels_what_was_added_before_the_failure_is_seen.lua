-- With failFast, the first failure that the script sees cancels the operations that have not started by then.
local cancelled = 0
for _ = 1, 50 do
    local queue = OperationQueue { failFast = true }
    local failing = queue:addOperation(work.file.read("/does/not/exist"))
    -- The closure fails meanwhile, unless the machine is busy. The script sees nothing of it, because it does not wait.
    for _ = 1, 300000 do end
    assert(not failing.isFinished)
    local late = queue:addOperation(function() end)
    assert(not pawait(failing))
    late:waitUntilFinished()
    if late.outcome == "cancelled" then cancelled = cancelled + 1 end
    local later = queue:addOperation(function() end)
    later:waitUntilFinished()
    assert(later.outcome == "succeeded", later.outcome)
end
assert(cancelled > 0, "an operation always ran although a failure had happened before its addition")
