-- A graph by chance: its results, outcomes and the order along dependencies are printed, in the order of creation. The
-- same seed prints the same here and on a cluster.
local seed, way = tonumber(arg[1]), arg[2]
math.randomseed(seed)
local random = math.random
local options = {}
if way == "pilots" then options.pilots = { max = 3 } end
local q = OperationQueue(options)
local sum = isolate(function(a, b)
    local total = 0
    for i = 1, a do total = (total * 31 + i * b) % 1000003 end
    return total, a + b
end)

local ops, ended, late = {}, {}, {}
for i = 1, 14 do
    local kind, op = random(5)
    if kind == 1 then
        op = work.compute.primes(100 * random(50))
    elseif kind == 2 then
        op = work.process.run { "sh", "-c", ("sleep 0.%d; echo %d"):format(random(0, 2), i) }
    elseif kind == 3 then
        op = work.process.run { "sh", "-c", ("echo %d >&2; exit %d"):format(i, random(1, 3)) }
    else
        op = sum(random(1000), random(9))
    end
    op.name = "step" .. i
    local names, rules = {}, { "succeeded", "succeeded", "finished", "failed" }
    for _ = 1, random(0, 2) do
        local other = i > 1 and ops[random(i - 1)]
        if other and not names[other.name] then
            names[other.name] = true
            op:addDependency(other, rules[random(#rules)])
        end
    end
    if random(6) == 1 then op.retry = { attempts = 2, delay = 0 } end
    local dependencies = op.dependencies
    op.completionBlock = function()
        ended[op.name] = true
        for _, other in ipairs(dependencies) do
            if not ended[other.name] then late[#late + 1] = op.name end
        end
    end
    ops[i] = op
end
for _, op in ipairs(ops) do q:addOperation(op) end
for _, op in ipairs(ops) do op:waitUntilFinished() end
sleep(0)
for _, op in ipairs(ops) do
    local result = op.result
    if type(result) == "table" then result = result.output end
    local err = op.error
    print(op.name, op.outcome, result, err and err.code, err and err.status)
end
print("late", #late)
