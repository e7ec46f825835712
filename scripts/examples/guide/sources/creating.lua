#!/usr/bin/env opscript
-- A source is created inactive. A script sets its handlers and then activates it. The script itself
-- reports the events of these sources with `mergeData`. Events that arrive before the handler runs are
-- merged: `add` sums them, `or` combines their bits, and `replace` keeps the last one.
-- In the guide: Dispatch Sources, "Creating Dispatch Sources"

local bytes = DispatchSource.userDataAdd()
local total = 0
bytes:setRegistrationHandler(function() print("registered") end)
bytes:setEventHandler(function(source)
    total = total + source.data
    print("bytes", source.data, total)
end)
bytes:setCancelHandler(function() print("cancelled after", total) end)
bytes:activate()
sleep(0)                                        -- the registration handler has its turn

-- Three reports before the handler runs are one event.
for _ = 1, 3 do bytes:mergeData(100) end
sleep(0)
bytes:mergeData(7)
sleep(0)

-- One source collects flags, the other one keeps the last state.
local READ, WRITTEN = 1, 4
local flags, state = DispatchSource.userDataOr(), DispatchSource.userDataReplace()
flags:setEventHandler(function() print("flags", flags.data) end)
state:setEventHandler(function() print("state", state.data) end)
flags:activate()
state:activate()
flags:mergeData(READ)
flags:mergeData(WRITTEN)
state:mergeData(10)
state:mergeData(20)
sleep(0)

bytes:cancel()
