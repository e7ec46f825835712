#!/usr/bin/env opscript
-- A condition lets code wait until other code reports that there is something to do. Here it is a
-- semaphore. A semaphore counts the reports, so a report before the wait is not lost. A gate is a
-- condition that becomes true once, for all waiters.
-- In the guide: Threading Programming Guide, "Using Conditions", listings 4-3 and 4-4

local pending = DispatchSemaphore(0)
local inbox, done = {}, {}

local function signal(item)
    inbox[#inbox + 1] = item
    pending:signal()
end

-- This report comes before the wait.
signal "first"

local worker = async(function()
    for _ = 1, 3 do
        pending:wait()
        done[#done + 1] = table.remove(inbox, 1)
    end
end)
sleep(0)                                        -- the worker runs up to its second wait
print("waits for work", table.concat(done, " "))

signal "second"
signal "third"
worker:waitUntilFinished()
print("done", table.concat(done, " "))

-- A wait with a time limit returns whether there was a report.
print("more work", pending:wait(0))

-- A gate is open for all waiters from then on.
local open = Gate "open"
local entered = 0
local visitors = {}
for i = 1, 3 do
    visitors[i] = async(function()
        await(open)
        entered = entered + 1
    end)
end
sleep(0)
print("before", entered)
open:finish()
await.all(visitors)
print("after", entered)
