-- setTimer gives a timer source other ticks, even when its one tick is over; ticks not served yet are dropped.
local ticks, due = 0, nil
local source = DispatchSource.timer { deadline = 0.01 }
source:setEventHandler(function()
    ticks = ticks + 1
    if ticks == 1 then
        source:setTimer { deadline = 0.01, repeating = 0.005, leeway = 0 }
    elseif ticks == 4 then
        source:setTimer { deadline = math.huge }
        due = true
    end
end)
source:activate()
repeat sleep(0.001) until due
sleep(0.02)
assert(ticks == 4, ticks)
source:setTimer { deadline = 0 }
repeat sleep(0.001) until ticks == 5
local first = DispatchSource.timer { deadline = math.huge }
local fired = false
first:setEventHandler(function() fired = true end)
first:setTimer { deadline = 0.001 }
first:activate()
repeat sleep(0.001) until fired
first:cancel()
first:setTimer { deadline = 0 }
local function refused(text, value, ...)
    local ok, problem = pcall(value.setTimer, value, ...)
    assert(not ok and tostring(problem):find(text, 1, true), problem)
end
refused("table expected, got number", source, 3)
refused("more than 0 seconds expected", source, { repeating = 0 })
refused("deadlin", source, { deadlin = 1 })
refused("has no ticks to set", DispatchSource.userDataAdd(), { deadline = 1 })
source:cancel()
