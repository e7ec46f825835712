-- An inactive or suspended source can be cancelled: its cancel handler comes once, its registration handler never.
-- expect-stdout: inactive is over
-- expect-stdout: suspended is over
local inactive = DispatchSource.userDataAdd()
inactive:setRegistrationHandler(function() error("never") end)
inactive:setEventHandler(function() error("never") end)
inactive:setCancelHandler(function() print("inactive is over") end)
inactive:mergeData(1)
inactive:cancel()
assert(inactive.isCancelled)
inactive:activate()
sleep(0)
local suspended = DispatchSource.signal("SIGUSR1")
suspended:setCancelHandler(function() print("suspended is over") end)
suspended:activate()
suspended:suspend()
suspended:cancel()
sleep(0)
