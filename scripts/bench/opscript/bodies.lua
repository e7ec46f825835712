-- bodies.lua N [REPETITIONS]: operations with a Lua body that waits once. Without repetitions: once, and not timed.
local n, repetitions = math.tointeger(arg[1]), math.tointeger(arg[2])

local function run(n)
    local started, ended = 0, 0
    local queue = OperationQueue()
    local function body()
        started = started + 1
        sleep(0)
        ended = ended + 1
    end
    for _ = 1, n do queue:addOperation(body) end
    queue:waitUntilAllOperationsAreFinished()
    assert(started == n and ended == n, "some bodies did not run")
end

if not repetitions then return run(n) end
run(10000)
for _ = 1, repetitions do
    local start = clock.now()
    run(n)
    print("bodies", n, (clock.now() - start) * 1e9 // 1 | 0)
    collectgarbage()
end
