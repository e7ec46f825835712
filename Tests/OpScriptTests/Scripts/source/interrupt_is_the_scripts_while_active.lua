-- A source for SIGINT replaces the command's own handling while it is active.
-- process: own
-- expect-stdout: interrupted 1
-- expect-stdout: finished
-- expect-stdout: 0
local program = [[
    local told = Gate "told"
    local source = DispatchSource.signal("SIGINT")
    source:setEventHandler(function() print("interrupted " .. source.data) source:cancel() told:finish() end)
    source:activate()
    await(work.process.shell("kill -INT $PPID"))
    await(told)
    print("finished")
]]
local run = await(work.process.run { arg[-1] or "opscript", "-e", program })
io.write(run.output)
print(run.status)
