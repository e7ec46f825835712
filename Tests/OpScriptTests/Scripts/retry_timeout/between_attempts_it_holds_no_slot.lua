-- Between attempts it holds no slot.
local queue = OperationQueue { maxConcurrentOperationCount = 1 }
local attempts = 0
local again = queue:addOperation(Operation { retry = { attempts = 2, delay = 600 }, main = function()
    attempts = attempts + 1
    error("again")
end })
local other = queue:addOperation(function() return "ran between" end)
other:waitUntilFinished()
assert(other.result == "ran between" and attempts == 1 and not again.isFinished)
again:cancel()
queue:waitUntilAllOperationsAreFinished()
