-- `backoff = "exponential"`: the delays double.
local times = {}
local op = Operation { retry = { attempts = 4, delay = 0.01, backoff = "exponential" }, main = function()
    times[#times + 1] = clock.now()
    if #times < 4 then error("again") end
end }
await(op)
assert(times[2] - times[1] >= 0.01 and times[3] - times[2] >= 0.02 and times[4] - times[3] >= 0.04)
