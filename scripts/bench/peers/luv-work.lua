-- luv-work.lua work|block N REPETITIONS: libuv's work queue, without and with something to do in the callback.
local uv = require "luv"
local shape, n, repetitions = arg[1], math.tointeger(arg[2]), math.tointeger(arg[3])

local function plain(n)
    local work = uv.new_work(function(limit) return 0 end, function() end)
    for _ = 1, n do uv.queue_work(work, 1) end
    uv.run()
end

local function withCallback(n)
    local count, sum = 0, 0
    local work = uv.new_work(function(limit) return 0 end, function(result)
        count, sum = count + 1, sum + result
    end)
    for _ = 1, n do work:queue(1) end
    uv.run()
    assert(count == n and sum == 0, "some callbacks were not called")
end

local run = assert(({ work = plain, block = withCallback })[shape], "no such shape")
run(10000)
for _ = 1, repetitions do
    local start = uv.hrtime()
    run(n)
    print(shape, n, uv.hrtime() - start)
    collectgarbage()
end
