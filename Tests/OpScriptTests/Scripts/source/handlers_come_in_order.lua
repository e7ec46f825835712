-- Registration, events, and the cancel handler once at the end; a handler that cancels its source runs to its end.
-- expect-stdout: registration
-- expect-stdout: event	1
-- expect-stdout: still in the handler	true	1
-- expect-stdout: cancel	0
local source = DispatchSource.userDataAdd()
source:setRegistrationHandler(function() print("registration") end)
source:setEventHandler(function()
    print("event", source.data)
    source:cancel()
    source:cancel()
    source:mergeData(5)
    sleep(0.005)
    print("still in the handler", source.isCancelled, 1)
end)
local cancelled = Gate()
source:setCancelHandler(function()
    print("cancel", source.data)
    cancelled:finish()
end)
source:mergeData(1)
source:activate()
source:activate()
await(cancelled)
source:cancel()
source:resume()
