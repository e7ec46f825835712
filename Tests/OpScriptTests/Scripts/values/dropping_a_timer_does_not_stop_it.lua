-- Dropping the last reference to a scheduled timer does not stop it.
-- expect-stdout: 1
-- expect-stdout: 2
do
    Timer.scheduledTimer { interval = 0.002, repeats = true, block = function(timer)
        collectgarbage()
        print(timer.fireCount)
        if timer.fireCount == 2 then timer:invalidate() end
    end }
end
collectgarbage()
collectgarbage()
