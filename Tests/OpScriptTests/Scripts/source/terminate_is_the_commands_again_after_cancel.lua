-- After the source for SIGTERM is cancelled, the command ends the run at that signal as before.
-- process: own
-- expect-stdout: cancelled by 143
local program = [[
    local source = DispatchSource.signal("SIGTERM")
    source:activate()
    source:cancel()
    work.process.shell("kill -TERM $PPID"):start()
    sleep(60)
]]
local run = await(work.process.run { arg[-1] or "opscript", "-e", program, check = false })
print("cancelled by " .. run.status)
