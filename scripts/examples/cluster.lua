#!/usr/bin/env opscript
-- Looks for twin primes, n and n + 2, below a limit: the numbers are divided into parts, each part is counted by an
-- operation of its own, and further operations combine the counts.
--
--     opscript cluster.lua [LIMIT]                 on the cores of this machine
--     opscript --on slurm cluster.lua [LIMIT]      on the nodes of a cluster
--
-- The script, its graph and its callbacks stay in this process either way; only the bodies of the isolates move. The
-- summary on standard output is the same.

local limit = math.tointeger(tonumber(arg[1] or "2000000"))
if not limit or limit < 6 then
    io.stderr:write("usage: opscript cluster.lua [LIMIT]\n")
    os.exit(2)
end
local partCount = 12

-- Counts the pairs whose smaller number is in first…last, with a sieve of this part alone.
local count = isolate(function(first, last)
    local isComposite = {}
    local function strike(divisor)
        local from = math.max(divisor * divisor, (first + divisor - 1) // divisor * divisor)
        for n = from, last + 2, divisor do isComposite[n] = true end
    end
    for divisor = 2, math.floor(math.sqrt(last + 2)) do strike(divisor) end
    local pairsFound, largest = 0, 0
    for n = math.max(first, 2), last do
        if not isComposite[n] and not isComposite[n + 2] then
            pairsFound, largest = pairsFound + 1, n
        end
    end
    return { pairs = pairsFound, largest = largest }
end)

-- The arguments are operations: they become dependencies, and their results replace them.
local combine = isolate(function(parts)
    local sum, largest = 0, 0
    for _, part in ipairs(parts) do
        sum = sum + part.pairs
        largest = math.max(largest, part.largest)
    end
    return { pairs = sum, largest = largest }
end)

local queue = OperationQueue { name = "primes" }
local operations, groups, group = {}, {}, {}
local function add(operation, name)
    operation.name = name
    operation.timeout = 300        -- seconds of work: the time in which it waits for a node does not count
    operation.retry = { attempts = 2, delay = 1 }
    operations[#operations + 1] = operation
    return operation
end
for part = 1, partCount do
    local first = (part - 1) * (limit - 2) // partCount + 1
    local last = part * (limit - 2) // partCount
    group[#group + 1] = add(count(first, last), ("part %d"):format(part))
    if #group == 4 then
        groups[#groups + 1] = add(combine(group), ("sum %d"):format(#groups + 1))
        group = {}
    end
end
local total = add(combine(groups), "total")
total.completionBlock = function(op) io.stderr:write("total: ", op.outcome, "\n") end

queue:addOperations(operations)
local found = await(total)
for index, sum in ipairs(groups) do
    print(("third %d: %d pairs"):format(index, sum.result.pairs))
end
print(("%d pairs of twin primes below %d; the largest is %d and %d"):format(
    found.pairs, limit, found.largest, found.largest + 2
))
