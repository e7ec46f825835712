-- A setting after the addition takes effect if it still can, and is refused otherwise.
local queue = OperationQueue { isSuspended = true }
local late = queue:addOperation(work.block(30))
late.timeout = 0.01
local calls = 0
local again = queue:addOperation(function()
    calls = calls + 1
    if calls < 3 then error("not yet", 0) end
    return calls
end)
again.retry = { attempts = 3 }
local kept = queue:addOperation(work.compute.primes(10))
kept.timeout = 5
kept.timeout = nil
local function refused(property, value, text)
    local ok, problem = pcall(function() kept[property] = value end)
    assert(not ok and problem.code == "misuse", tostring(problem))
    assert(problem.message:find(("'%s' of '%s' cannot change any more"):format(property, kept.name), 1, true), problem)
    assert(problem.message:find(text, 1, true), problem)
end
refused("qualityOfService", "utility", "before the operation is added")
refused("threadPriority", 0.2, "before the operation is added")
refused("resources", { gpu = 1 }, "before the operation is added")
assert(kept.timeout == nil and kept.resources == nil)
queue.isSuspended = false
local _, problem = pawait(late)
assert(problem.code == "timeout", problem)
assert(await(again) == 3 and again.attempt == 3)
await(kept)
refused("timeout", 1, "has finished")
refused("retry", { attempts = 2 }, "has finished")
refused("resources", nil, "before the operation is added")
local running = queue:addOperation(function(op)
    local ok, told = pcall(function() op.timeout = 1 end)
    assert(not ok and told.message:find("has started", 1, true), told)
    op.name = "may still be named"
    return true
end)
assert(await(running))
