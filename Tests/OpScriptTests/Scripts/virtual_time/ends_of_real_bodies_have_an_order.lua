-- Works that run for real on virtual time end in the order in which they started, however fast each is.
-- arguments: --virtual
simulate("compute.primes", "real")
local queue = OperationQueue { maxConcurrentOperationCount = 8 }
local names = {}
local function watch(operation, name)
    operation.completionBlock = function() names[#names + 1] = name end
    queue:addOperation(operation)
end
for round = 1, 20 do
    watch(work.compute.primes(round % 2 == 0 and 10 or 100000), round)
end
queue:waitUntilAllOperationsAreFinished()
for round = 1, 20 do assert(names[round] == round, table.concat(names, " ")) end

-- A program holds no thread: its end comes after those of the closures that run beside it.
names = {}
watch(work.process.run { "true" }, "first program")
watch(work.process.run { "sleep", "0.05" }, "second program")
watch(work.process.run { "true" }, "third program")
watch(work.compute.primes(100000), "closure")
queue:waitUntilAllOperationsAreFinished()
assert(table.concat(names, ", ") == "closure, first program, second program, third program", table.concat(names, ", "))
