-- An active source keeps the run going, unless `keepsAlive` is false.
-- process: own
-- expect-stdout: kept
local idle = DispatchSource.signal("SIGUSR2")
idle.keepsAlive = false
idle:setEventHandler(function() error("never") end)
idle:activate()
assert(idle.keepsAlive == false)
local source = DispatchSource.signal("SIGUSR1")
assert(source.keepsAlive == true)
source:setEventHandler(function() print("kept") source:cancel() end)
source:activate()
work.process.shell("sleep 0.02; kill -USR1 $PPID"):start()
