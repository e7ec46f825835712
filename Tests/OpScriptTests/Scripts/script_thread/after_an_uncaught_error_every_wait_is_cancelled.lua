-- After an uncaught error the main chunk gets `cancelled` at its wait and at each later one.
-- expect-status: 1
-- expect-stdout: cancelled
-- expect-stdout: cancelled
-- expect-stdout: cancelled
Timer.scheduledTimer(0.001, false, function() error("broken") end)
for _ = 1, 3 do
    local ok, err = pcall(sleep, 60)
    print(ok and "slept" or err.code)
end
