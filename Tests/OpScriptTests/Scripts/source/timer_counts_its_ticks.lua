-- A timer source ticks on a grid and `data` is the number of ticks since the last event.
-- expect-stdout: over	2
local ticks, events = 0, 0
local start = clock.now()
local source = DispatchSource.timer { deadline = 0.01, repeating = 0.005 }
source:setEventHandler(function(self)
    assert(self == source and math.type(source.data) == "integer" and source.data >= 1)
    events = events + 1
    ticks = ticks + source.data
    if events == 1 then
        assert(clock.now() - start >= 0.01)
        sleep(0.03)          -- meanwhile ticks are merged
    elseif events == 2 then
        assert(source.data >= 5, source.data)
        source:cancel()
    end
end)
source:setCancelHandler(function()
    -- Never more ticks than fit into the time.
    assert(ticks <= (clock.now() - start - 0.01) / 0.005 + 1)
    print("over", events)
end)
source:activate()
