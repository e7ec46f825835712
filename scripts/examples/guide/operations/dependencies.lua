#!/usr/bin/env opscript
-- An operation starts after all operations that it depends on have finished. Dependencies form a graph,
-- and they may cross queues. A dependency that would close a cycle is an error.
-- In the guide: Operation Queues, "Configuring Interoperation Dependencies"

local order = {}
local function step(name)
    return Operation { name = name, main = function() order[#order + 1] = name end }
end

--        fetch
--       /     \
--   parse     check
--       \     /
--        store
local fetch, parse, check, store = step "fetch", step "parse", step "check", step "store"
parse:addDependency(fetch)
check:addDependency(fetch)
store:addDependency(parse)
store:addDependency(check)

local ok, problem = pcall(fetch.addDependency, fetch, store)
print(ok, problem.code)

local network = OperationQueue { name = "network" }
local disk = OperationQueue { name = "disk", maxConcurrentOperationCount = 1 }
-- An operation may be added before its dependencies. The two operations in the middle become ready
-- together and start in the order of addition.
disk:addOperation(store)
network:addOperations { parse, check, fetch }
store:waitUntilFinished()
print(table.concat(order, " -> "))

-- A dependency may be removed until the operation starts. This makes the operation ready.
local early, late = step "early", step "late"
early:addDependency(late)
print(early.isReady, #early.dependencies)
early:removeDependency(late)
print(early.isReady, #early.dependencies)
network:addOperations({ early, late }, true)
