-- Turns are first in, first out: if very many timers are due, work that the first ones begin does not wait for the last one.
local fired, seen, order = 0, nil, {}
local allFired = Gate "all fired"
for number = 1, 1000 do
    Timer.scheduledTimer(0.001 + 0.000001 * number, false, function()
        fired = fired + 1
        order[fired] = number
        if fired == 1 then
            OperationQueue.main:addOperation(function()
                seen = fired
            end)
        elseif fired == 1000 then
            allFired:finish()
        end
    end)
end
local start = clock.now()
repeat
    local isOver = clock.now() > start + 0.02
until isOver
await(allFired)
assert(seen and seen < 1000, seen)
for number = 1, 1000 do
    assert(order[number] == number, "a timer that is due earlier fired later")
end
