-- A write source reports that there is room, and waits while there is none.
-- expect-stdout: all written
local pipe = io.popen("sleep 0.05; cat >/dev/null", "w")
pipe:setvbuf("no")
local left = 300000
local source = DispatchSource.write(pipe)
source:setEventHandler(function()
    assert(source.data > 0)
    local count = math.min(left, source.data)
    pipe:write(("x"):rep(count))
    left = left - count
    if left == 0 then source:cancel() end
end)
source:setCancelHandler(function() pipe:close() print("all written") end)
source:activate()
