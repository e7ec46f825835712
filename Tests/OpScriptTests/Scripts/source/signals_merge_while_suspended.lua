-- Signals that come while the source is suspended are counted in one event.
-- process: own
-- expect-stdout: 3
local told = Gate "told"
local source = DispatchSource.signal("SIGUSR2")
source:setEventHandler(function()
    print(source.data)
    source:cancel()
    told:finish()
end)
source:activate()
source:suspend()
-- One after the other: a signal that is pending twice is delivered once. A second source shows when one has come.
local came = 0
local counter = DispatchSource.signal("SIGUSR2")
local next
counter:setEventHandler(function()
    came = came + counter.data
    next:finish()
end)
counter:activate()
for number = 1, 3 do
    next = Gate("signal " .. number)
    await(work.process.shell("kill -USR2 $PPID"))
    await(next)
end
assert(came == 3)
counter:cancel()
sleep(0)
source:resume()
await(told)
