-- A repeating timer fires until it is invalidated, also from its own block.
-- expect-stdout: tick 1
-- expect-stdout: tick 2
-- expect-stdout: tick 3
Timer.scheduledTimer { interval = 0.005, repeats = true, block = function(timer)
    print("tick " .. timer.fireCount)
    if timer.fireCount == 3 then
        timer:invalidate()
        assert(not timer.isValid)
    end
end }
