#!/usr/bin/env opscript
-- A source runs its handlers on the queue that was passed as the last argument. To move the handlers
-- later, set the target of that queue. A handler that is already executing is not moved. Events wait while
-- the queue or its target is suspended.
-- In the guide: Dispatch Sources, "Changing the Target Queue of a Dispatch Source"

local ordinary = DispatchQueue { label = "ordinary" }
local urgent = DispatchQueue { label = "urgent", qos = "userInitiated" }
ordinary:setSpecific("place", "ordinary")
urgent:setSpecific("place", "urgent")

local handlers = DispatchQueue { label = "handlers", target = ordinary }
local source = DispatchSource.userDataAdd(handlers)
source:setEventHandler(function()
    print(source.data, DispatchQueue.current.label .. " on " .. DispatchQueue.getSpecific("place"))
end)
source:activate()

source:mergeData(1)
sleep(0)
handlers:sync(function() end)                   -- returns after the handler

-- The next events are handled on the other target.
handlers.target = urgent
urgent:suspend()
source:mergeData(2)
source:mergeData(3)
sleep(0)
print("nothing while the target is suspended")
urgent:resume()
handlers:sync(function() end)
source:cancel()
