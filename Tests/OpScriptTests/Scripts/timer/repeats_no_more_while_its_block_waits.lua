-- A repeating timer whose block ends the repetition fires at most once more, and not at all while the block waits.
-- arguments: --virtual
local fired = 0
local timer = Timer.scheduledTimer(1, true, function(timer)
    fired = fired + 1
    timer.repeats = false
    sleep(10)
end)
sleep(20)
assert(fired == 1 and timer.missedCount == 1, fired)
assert(not timer.isValid)

-- The same if an operation of the timer delays it.
local made = 0
local other = Timer.scheduledTimer { interval = 1, repeats = true, operation = function(timer)
    made = made + 1
    return Operation { main = function() sleep(10) end }
end, queue = OperationQueue() }
sleep(1.5)
other.repeats = false
sleep(20)
assert(made == 1 and not other.isValid, made)
