-- objects.lua FOLDER work|block N REPETITIONS: the script of work.lua with a C module that keeps objects and schedules nothing, which is in
-- the folder. Its time is Lua's own, and no scheduler can be faster.
local folder, shape, n, repetitions = arg[1], arg[2], math.tointeger(arg[3]), math.tointeger(arg[4])
package.cpath = folder .. "/?.so"
local objects = require "objects"
local queue, primes = objects.queue, objects.make

local function plain(n)
    local last
    for _ = 1, n do last = queue:addOperation(primes(1)) end
    objects.endAll()
    assert(last ~= queue and last.result == 0)
end

local function withCompletionBlock(n)
    local count, sum = 0, 0
    local function completed(op) count, sum = count + 1, sum + op.result end
    for _ = 1, n do
        local op = primes(1)
        op.completionBlock = completed
        queue:addOperation(op)
    end
    objects.endAll()
    assert(count == n and sum == 0, "some functions were not called")
end

local run = assert(({ work = plain, block = withCompletionBlock })[shape], "no such shape")
run(10000)
for _ = 1, repetitions do
    local start = os.clock()
    run(n)
    print(shape, n, (os.clock() - start) * 1e9 // 1 | 0)
    collectgarbage()
end
