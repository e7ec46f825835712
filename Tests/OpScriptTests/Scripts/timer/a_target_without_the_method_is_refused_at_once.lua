-- A timer whose target lacks the method is refused where it is made, as an InvocationOperation is.
local target = { tick = function() end, count = 3 }
local function refused(text, options)
    for _, make in ipairs { Timer, Timer.scheduledTimer } do
        options.interval = 0.001
        local ok, problem = pcall(make, options)
        assert(not ok and problem.code == "argument", tostring(problem))
        assert(problem.message:find(text, 1, true), problem)
    end
end
refused("the target of the timer has no method 'tock'", { target = target, selector = "tock" })
refused("the target of the timer has no method 'count'", { target = target, selector = "count" })
refused("the target of the timer has no method 'tick'", { target = 5, selector = "tick" })
refused("the target of the timer has no method 'tock'", { invocation = { target, "tock" } })
refused("the target of the timer has no method 'tick'", { invocation = { nil, "tick" } })
refused("invocation", { invocation = { target } })
local done = Gate "ticked"
local counter = setmetatable({}, { __index = { tick = function() done:finish() end } })
Timer.scheduledTimer { interval = 0.001, target = counter, selector = "tick" }
await(done)
