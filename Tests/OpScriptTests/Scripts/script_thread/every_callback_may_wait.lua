-- Waiting works in every callback: completion blocks, observers, timer blocks.
-- expect-stdout: observer done
-- expect-stdout: completion done
-- expect-stdout: timer done
local op = Operation(function() end)
local observed, completed, fired = Gate "observed", Gate "completed", Gate "fired"
op:observe("isFinished", function()
    sleep(0.001)
    observed:finish("observer done")
end)
op.completionBlock = function()
    sleep(0.001)
    completed:finish("completion done")
end
Timer.scheduledTimer(0.001, false, function()
    sleep(0.001)
    fired:finish("timer done")
end)
await(op)
print(await(observed))
print(await(completed))
print(await(fired))
