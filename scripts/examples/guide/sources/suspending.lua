#!/usr/bin/env opscript
-- A suspended source calls no handler. Suspensions are counted, so each one needs its own `resume`. Events
-- that arrive meanwhile are merged into one event.
-- In the guide: Dispatch Sources, "Suspending and Resuming Dispatch Sources"

local source, events = DispatchSource.userDataAdd(), 0
source:setEventHandler(function()
    events = events + 1
    print("event " .. events, "data " .. source.data)
end)
source:activate()

source:mergeData(1)
sleep(0)

source:suspend()
source:suspend()
for amount = 10, 40, 10 do
    source:mergeData(amount)
    sleep(0)
end
source:resume()
sleep(0)
print("resumed once, still suspended", events)

source:resume()
sleep(0)
print("resumed twice", events)

local ok, problem = pcall(source.resume, source)
print("resumed once too often", ok, problem.code)
source:cancel()
