-- luv-timers.lua N REPETITIONS: the same as opscript/timers.lua, with libuv's timers.
local uv = require "luv"
local n, repetitions = math.tointeger(arg[1]), math.tointeger(arg[2])

local function run(n)
    local count = 0
    local function fire(timer)
        count = count + 1
        timer:close()
    end
    local start = uv.hrtime()
    for i = 1, n do
        local timer = uv.new_timer()
        timer:start(i % 10 + 1, 0, function() fire(timer) end)
    end
    local made = uv.hrtime()
    repeat local now = uv.hrtime() until now > made + 12e6
    local due = uv.hrtime()
    uv.run()
    local fired = uv.hrtime()
    assert(count == n, "some timers did not fire")
    return made - start + fired - due
end

run(10000)
for _ = 1, repetitions do
    print("timers", n, run(n))
    collectgarbage()
end
