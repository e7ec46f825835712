-- `sleep(0)` goes to the end: however many timers are due, all of them fire before it returns.
local fired = 0
for number = 1, 1000 do
    Timer.scheduledTimer(0.001 * (number % 3 + 1), false, function()
        fired = fired + 1
    end)
end
local made = clock.now()
repeat
    local isOver = clock.now() > made + 0.01
until isOver
sleep(0)
assert(fired == 1000, fired)
