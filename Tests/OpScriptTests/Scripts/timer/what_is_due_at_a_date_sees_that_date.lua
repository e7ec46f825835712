-- When something that is due at a moment of the calendar runs, os.time() has reached that moment.
local queue, seen = OperationQueue(), 0

local function check(moment, now)
    assert(now >= moment, ("%.0f of %.0f"):format(now, moment))
    seen = seen + 1
end

for _ = 1, 2 do
    local moment = os.time() + 1
    for _ = 1, 5 do
        queue:addOperation(Operation(function() check(moment, os.time()) end), { at = moment })
        Timer.scheduledTimer { fireDate = moment, block = function() check(moment, os.time()) end }
        Timer { fireDate = moment, block = function() check(moment, os.time(os.date("*t"))) end }:schedule()
        local apart = isolate(function() return os.time() end)()
        apart.completionBlock = function() check(moment, apart.result) end
        queue:addOperation(apart, { at = moment })
        local program = work.process.run { "bash", "-c", "printf '%(%s)T' -1" }
        program.completionBlock = function() check(moment, tonumber(program.result.output)) end
        queue:addOperation(program, { at = moment })
        local moved = Timer.scheduledTimer { interval = 60, block = function() check(moment, os.time()) end }
        moved.fireDate = moment
        assert(moved.fireDate == moment)
    end
    queue:waitUntilAllOperationsAreFinished()
    while clock.date() < moment + 0.1 do sleep(0.05) end
end
assert(seen == 60, seen)
