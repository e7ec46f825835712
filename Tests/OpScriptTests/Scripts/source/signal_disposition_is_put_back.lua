-- Cancelling the last source of a signal restores its former disposition: here the default, which ends a process.
-- process: own
-- expect-stdout: 12
local program = [[
    local first, second = DispatchSource.signal("SIGUSR2"), DispatchSource.signal("SIGUSR2")
    first:activate() second:activate()
    first:cancel()
    second:setEventHandler(function()
        second:cancel()
        work.process.shell("kill -USR2 $PPID; sleep 60"):start()
    end)
    await(work.process.shell("kill -USR2 $PPID"))
    sleep(60)
]]
local run = await(work.process.run { arg[-1] or "opscript", "-e", program, check = false })
print(run.signal)
