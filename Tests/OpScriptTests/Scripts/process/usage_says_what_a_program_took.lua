-- `usage` says what the program of an operation took, once it has ended; nil before, and for other operations.
local queue = OperationQueue()
local op = work.process.shell "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done; sleep 0.1"
assert(op.usage == nil)
queue:addOperation(op)
repeat sleep(0.001) until op.pid
assert(op.usage == nil, "before its end")
op:waitUntilFinished()
local usage = op.usage
assert(usage.wall >= 0.1 and usage.user > 0 and usage.system >= 0)
assert(usage.user + usage.system <= usage.wall + 1)
assert(math.type(usage.peakMemory) == "integer" and usage.peakMemory >= 100000, usage.peakMemory)
-- It is a copy.
usage.wall = nil
assert(op.usage.wall and op.usage ~= op.usage)

-- A program that fails, one that is ended, and the children that a program has waited for.
local failed = work.process.shell "head -c 80000000 /dev/zero | tail -c 80000000 > /dev/null; exit 3"
local ended = work.process.run { "sleep", "60" }
failed.allowsFailure, ended.allowsFailure = true, true
queue:addOperations { failed, ended }
repeat sleep(0.001) until ended.pid
sleep(0.1)
ended:signal "KILL"
queue:waitUntilAllOperationsAreFinished()
assert(failed.outcome == "failed" and failed.usage.peakMemory > 60000000, failed.usage.peakMemory)
assert(ended.outcome == "failed" and ended.usage.wall >= 0.05 and ended.usage.wall < 60)

-- Others run no program.
local other = queue:addOperation(work.digest.sha256 "x")
local lua = queue:addOperation(function() await(work.process.run { "true" }) end)
local missing = queue:addOperation(work.process.run { "/nowhere/at/all" })
missing.allowsFailure = true
queue:waitUntilAllOperationsAreFinished()
assert(other.usage == nil and lua.usage == nil and missing.usage == nil)
