#!/usr/bin/env opscript
-- A group replaces a join: it waits for all of its tasks at once. An operation that depends on the others
-- also replaces a join. It needs no wait, because the code after the join becomes its body.
-- In the guide: Migrating Away from Threads, "Replacing Thread Joins"

local limits = { 10, 100, 1000 }

-- A group.
local group, counts = DispatchGroup(), {}
for i, limit in ipairs(limits) do
    local function count() counts[i] = await(work.compute.primes(limit)) end
    DispatchQueue.global():async { count, group = group }
end
group:wait()
print("joined by a group", table.concat(counts, " "))

-- Dependencies.
local queue = OperationQueue { name = "children" }
local children = {}
local parent = Operation {
    name = "parent",
    main = function()
        local results = {}
        for i, child in ipairs(children) do results[i] = child.result end
        print("joined by dependencies", table.concat(results, " "))
    end,
}
for i, limit in ipairs(limits) do
    children[i] = work.compute.primes(limit)
    parent:addDependency(children[i])
end
queue:addOperation(parent)
queue:addOperations(children, true)
parent:waitUntilFinished()

-- With references to the operations, `await.all` is the shortest join.
local again = {}
for i, limit in ipairs(limits) do again[i] = work.compute.primes(limit) end
print("awaited together", table.concat(await.all(again), " "))
