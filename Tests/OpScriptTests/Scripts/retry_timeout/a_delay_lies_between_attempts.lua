-- `delay`: seconds between attempts.
local times = {}
local op = Operation { retry = { attempts = 3, delay = 0.02 }, main = function()
    times[#times + 1] = clock.now()
    if #times < 3 then error("again") end
end }
await(op)
assert(times[2] - times[1] >= 0.02 and times[3] - times[2] >= 0.02)
