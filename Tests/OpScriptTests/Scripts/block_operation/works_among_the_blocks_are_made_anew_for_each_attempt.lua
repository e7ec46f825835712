-- The works of a block operation are made anew for each attempt.
local path = os.tmpname()
os.remove(path)
local input = work.compute.primes(10)
local attempts = 0
local block = BlockOperation(
    work.compute.primes(100),
    work.file.stat(path),
    work.compute.primes(input),
    function()
        attempts = attempts + 1
        if attempts == 3 then io.open(path, "w"):close() end
    end,
    Operation { name = "named", main = function(op) return op.name end }
)
block.retry = { attempts = 5, delay = 0.001 }
local first = block.executionBlocks[1]
OperationQueue():addOperation(input)
OperationQueue():addOperation(block)
block:waitUntilFinished()
os.remove(path)
assert(block.outcome == "succeeded", tostring(block.error))
assert(block.attempt == 3 or block.attempt == 4, block.attempt)
local primes, stat, fromInput, none, name = block:results()
assert(primes == 25 and stat and fromInput == 2 and none == nil and name == "named", fromInput)
assert(first.outcome == "succeeded" and block.executionBlocks[1] ~= first)

-- The error is that of the work, however many attempts there were.
local failing = BlockOperation(work.compute.primes(10), work.file.read "/does/not/exist")
failing.retry = { attempts = 3 }
failing.allowsFailure = true
OperationQueue():addOperation(failing)
failing:waitUntilFinished()
assert(failing.outcome == "failed" and failing.attempt == 3)
assert(failing.error:find("no such file", 1, true), tostring(failing.error))
