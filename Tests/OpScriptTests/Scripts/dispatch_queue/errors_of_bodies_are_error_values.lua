-- `sync`, `perform` and `concurrentPerform` raise error values with a code; an error table passes through unchanged.
local own = { code = "mine" }
for name, call in pairs {
    sync = function(body) DispatchQueue "serial":sync(body) end,
    perform = function(body) DispatchWorkItem(body):perform() end,
    concurrentPerform = function(body) DispatchQueue.concurrentPerform(3, body) end,
} do
    local ok, problem = pcall(call, function() error("broken") end)
    assert(not ok and problem.code == "failed", name)
    assert(problem.message:find("errors_of_bodies_are_error_values.lua:8: broken", 1, true), problem.message)
    ok, problem = pcall(call, function() error(42) end)
    assert(problem.underlying == 42, name)
    ok, problem = pcall(call, function() error(own) end)
    assert(problem == own, name)
end
