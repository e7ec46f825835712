#!/usr/bin/env opscript
-- This body checks for cancellation before it does any work, and once in each round of its loop.
-- `sleep(0)` gives other code a turn, so the operation can be cancelled there. A wait in a cancelled body
-- raises an error with the code "cancelled". A `<close>` variable cleans up, however the body ends.
-- In the guide: Operation Queues, "Responding to Cancellation Events", listing 2-4

local Search = Operation:subclass "Search"

function Search:init(options)
    self.last = options.last
    self.seen = 0
end

function Search:main()
    local scratch <close> = setmetatable({}, { __close = function() print(self.name .. " cleans up") end })
    while not self.isCancelled and self.seen < self.last do
        self.seen = self.seen + 1
        if self.seen == 20 then self.halfway:finish() end
        sleep(0)
    end
    return self.seen
end

local function search(name)
    local operation = Search { name = name, last = 50 }
    operation.halfway = Gate(name .. " is half-way")
    return operation
end
local complete, partial, never = search "complete", search "partial", search "never"

-- One search is cancelled while it runs, another one before it starts.
partial.halfway.completionBlock = function() partial:cancel() end
never:cancel()

local queue = OperationQueue { name = "searches", maxConcurrentOperationCount = 1 }
queue:addOperations({ complete, partial, never }, true)
for _, operation in ipairs { complete, partial, never } do
    print(operation.name, operation.outcome, operation.seen)
end
