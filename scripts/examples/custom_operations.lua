#!/usr/bin/env opscript
-- Custom operations: a synchronous subclass with `main`, an asynchronous one with `start` and `finish`, and one that
-- builds on another.
--
--     opscript custom_operations.lua [WORD …]

-- Synchronous: it has finished when `main` has returned, and its result is that of `main`.
local Count = Operation:subclass "Count"

-- Settable properties of the table are already set; all of its keys come here.
function Count:init(options)
    self.word = options.word
    self.name = "count " .. options.word
end

function Count:main()
    local vowels = 0
    for _ in self.word:gmatch("[aeiouAEIOU]") do vowels = vowels + 1 end
    return vowels
end

-- A class that builds on it: `Count.main(self)` calls the parent's.
local LoudCount = Count:subclass "LoudCount"

function LoudCount:main()
    local vowels = Count.main(self)
    print(("%s has %d vowel%s"):format(self.word, vowels, vowels == 1 and "" or "s"))
    return vowels
end

-- Asynchronous: `start` only begins; it has finished when `finish` is called. Here, a timer does that later.
local Countdown = Operation:subclass "Countdown"

function Countdown:init(options)
    self.from = options.from
end

function Countdown:start()
    local left = self.from
    self.timer = Timer.scheduledTimer {
        interval = 0.01,
        repeats = true,
        block = function(timer)
            left = left - 1
            if left > 0 then return end
            timer:invalidate()
            self:finish("lift-off after " .. timer.fireCount)
        end,
    }
end

-- When it is cancelled, it releases the timer and ends.
function Countdown:cancelled()
    self.timer:invalidate()
    self:finish()
end

local words = #arg > 0 and arg or { "operation", "queue", "rhythm" }
local queue = OperationQueue { name = "own", maxConcurrentOperationCount = 2 }

local total = 0
local sum = Operation { name = "sum", main = function() print("together " .. total) end }
local before
for _, word in ipairs(words) do
    local operation = LoudCount { word = word }
    operation.completionBlock = function(op) total = total + op.result end
    -- In the order of the words.
    if before then operation:addDependency(before) end
    before = operation
    sum:addDependency(operation)
    queue:addOperation(operation)
end
queue:addOperation(sum)

local countdown = Countdown { from = 3, name = "countdown" }
countdown:addDependency(sum)
queue:addOperation(countdown)

local abandoned = Countdown { from = 1000000, name = "abandoned", dependencies = { countdown } }
queue:addOperation(abandoned)
countdown.completionBlock = function(op)
    print(op.name .. ": " .. op.result)
    -- It is about to start, or has started: both end as cancelled.
    abandoned:cancel()
end

queue:waitUntilAllOperationsAreFinished()
print(abandoned.name .. " was " .. abandoned.outcome)
