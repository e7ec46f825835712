-- timers.lua N REPETITIONS: one-shot timers of ten delays. Timed are making and firing, not the time until all are due.
local n, repetitions = math.tointeger(arg[1]), math.tointeger(arg[2])

local function run(n)
    local count = 0
    local allFired = Gate "all fired"
    local function fire()
        count = count + 1
        if count == n then allFired:finish() end
    end
    local start = clock.now()
    for i = 1, n do Timer.scheduledTimer(0.001 * (i % 10 + 1), false, fire) end
    local made = clock.now()
    repeat local now = clock.now() until now > made + 0.012
    local due = clock.now()
    await(allFired)
    local fired = clock.now()
    assert(count == n, "some timers did not fire")
    return made - start + fired - due
end

run(10000)
for _ = 1, repetitions do
    print("timers", n, run(n) * 1e9 // 1 | 0)
    collectgarbage()
end
