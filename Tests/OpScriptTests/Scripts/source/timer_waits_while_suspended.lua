-- Ticks that come while a timer source is suspended are merged into one event.
-- expect-stdout: merged
local source = DispatchSource.timer { deadline = 0, repeating = 0.002 }
local events = 0
source:setEventHandler(function()
    events = events + 1
    if events == 1 then assert(source.data >= 10, source.data) print("merged") end
    source:cancel()
end)
source:activate()
source:suspend()
sleep(0.03)
assert(events == 0)
source:resume()
