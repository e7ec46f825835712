-- State, outcome, result and their like can be read only: setting one raises and names it.
local op = Operation(function() end)
for _, key in ipairs {
    "isReady", "isExecuting", "isFinished", "isCancelled", "isAsynchronous", "isConcurrent", "state",
    "outcome", "result", "error", "queue", "dependencies", "attempt", "createdAt",
} do
    local ok, err = pcall(function() op[key] = true end)
    assert(not ok, key .. " was set")
    assert(tostring(err):find(key, 1, true), tostring(err))
end
assert(await(op) == nil and op.outcome == "succeeded")
