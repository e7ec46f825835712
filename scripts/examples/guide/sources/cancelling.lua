#!/usr/bin/env opscript
-- Cancelling a source takes effect at once and cannot be undone. An event handler that is executing
-- continues to its end, and then the cancellation handler is called. Pending events are dropped.
-- In the guide: Dispatch Sources, "Canceling a Dispatch Source"

local source, half = DispatchSource.userDataAdd(), Gate "half of the handler"
source:setEventHandler(function()
    print("the handler begins", source.data)
    await(half)
    print("the handler ends")
end)
source:setCancelHandler(function() print("the cancellation handler") end)
source:activate()

source:mergeData(1)
sleep(0)                                        -- the handler runs up to its wait
source:mergeData(2)                             -- pending, since the handler has not returned
source:cancel()
print("cancelled", source.isCancelled)
half:finish()
sleep(0)

-- These calls have no effect.
source:mergeData(3)
source:activate()
source:cancel()
sleep(0)

-- A source that was never activated can be cancelled.
local unused = DispatchSource.timer { repeating = 1 }
unused:setCancelHandler(function() print("never activated, but cancelled") end)
unused:cancel()
