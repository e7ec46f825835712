#!/usr/bin/env opscript
-- Any task may add tasks to any queue. A task must not wait for its own serial queue: such a `sync` could
-- never return, and it is an error here. A serial queue replaces a lock.
-- In the guide: Dispatch Queues, "Dispatch Queues and Thread Safety"

local account = DispatchQueue { label = "account" }
local audit = DispatchQueue { label = "audit" }
local balance, entries = 0, 0

-- Tasks on any queue add tasks to these two.
local function deposit(amount)
    account:async(function()
        local before = balance
        sleep(0)                                -- other code runs, but no task of this queue
        balance = before + amount
        audit:async(function() entries = entries + 1 end)
    end)
end
DispatchQueue.concurrentPerform(10, deposit)
account:sync(function() print("balance", balance) end)
audit:sync(function() print("entries", entries) end)

-- This task waits for its own queue: first directly, then through another queue.
account:async(function()
    local ok, problem = pcall(account.sync, account, function() end)
    print("own queue", ok, problem.code)
    ok, problem = pcall(function()
        audit:sync(function() account:sync(function() end) end)
    end)
    print("by way of another", ok, problem.code)
    -- `async` does not wait, so it is allowed.
    account:async(function() print("afterwards") end)
end)
