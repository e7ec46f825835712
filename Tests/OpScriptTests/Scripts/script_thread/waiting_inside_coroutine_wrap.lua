-- Waiting works inside the script's own coroutines, through which the wait passes to the scheduler.
local steps = coroutine.wrap(function(start)
    local n = start
    while true do
        sleep(0.001)
        n = n + await(Operation(function() return 10 end))
        n = n + coroutine.yield(n)
    end
end)
assert(steps(1) == 11)
assert(steps(5) == 26)
assert(steps(0) == 36)
