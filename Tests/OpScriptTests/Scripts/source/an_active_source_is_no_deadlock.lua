-- A wait that an active source may end is not a deadlock until the source is cancelled.
-- process: own
-- expect-stdout: finished
-- expect-stdout: deadlock
local gate = Gate "told"
local source = DispatchSource.signal("SIGUSR1")
source:setEventHandler(function() gate:finish() end)
source:activate()
-- A process that is not ours: only the source can still act.
os.execute("(sleep 0.05; kill -USR1 $PPID) >/dev/null 2>&1 &")
await(gate)
print("finished")
source:cancel()
local ok, message = pcall(await, Gate "never")
assert(not ok)
print(message.code)
