-- cqueues-bodies.lua N REPETITIONS: coroutines of a cqueues controller that yield once.
local cqueues = require "cqueues"
local n, repetitions = math.tointeger(arg[1]), math.tointeger(arg[2])

local function run(n)
    local started, ended = 0, 0
    local controller = cqueues.new()
    local function body()
        started = started + 1
        cqueues.sleep(0)
        ended = ended + 1
    end
    for _ = 1, n do controller:wrap(body) end
    assert(controller:loop())
    assert(started == n and ended == n, "some bodies did not run")
end

run(10000)
for _ = 1, repetitions do
    local start = cqueues.monotime()
    run(n)
    print("bodies", n, (cqueues.monotime() - start) * 1e9 // 1 | 0)
    collectgarbage()
end
