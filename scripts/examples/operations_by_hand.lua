#!/usr/bin/env opscript
-- Operations run by hand, one after the other, without any queue: the meaning of `start`, `isReady` and the states.
--
--     opscript operations_by_hand.lua
--
-- `start` runs a Lua body before it returns; a Swift closure runs on a worker while `start` waits. It refuses an operation that is not
-- ready, executes or has finished. A script that starts operations by hand must also keep their order, which otherwise a queue does.

local numbers = {}

local function say(operation)
    print(("%-8s %-9s ready %-5s %s"):format(operation.name, operation.state, tostring(operation.isReady),
        operation.outcome or "-"))
end

-- A Lua body.
local collect = Operation {
    name = "collect",
    main = function() for i = 1, 5 do numbers[i] = i * i end end,
}
-- A Swift closure, whose argument is known already.
local count = work.compute.primes(100)
count.name = "count"
-- An operation is ready once its dependencies have finished, no matter how they were run.
local report = Operation {
    name = "report",
    dependencies = { collect, count },
    main = function() return #numbers .. " squares, " .. count.result .. " primes" end,
}
report.completionBlock = function(operation) print("report says: " .. operation.result) end

for _, operation in ipairs { collect, count, report } do say(operation) end

-- Too early: the error names the obstacle.
local started, problem = pcall(report.start, report)
assert(not started and problem.code == "misuse")
print("not yet: " .. problem.message:gsub("^.-:%d+: ", ""))

collect:start()
count:start()
for _, operation in ipairs { collect, count, report } do say(operation) end
report:start()
say(report)

-- Each runs once.
local again, twice = pcall(collect.start, collect)
assert(not again and twice.code == "misuse")

-- An operation that was cancelled before never runs its body: starting it only lets it finish.
local never = Operation { name = "never", main = function() error "it ran" end }
never:cancel()
never:start()
never:waitUntilFinished()
say(never)
