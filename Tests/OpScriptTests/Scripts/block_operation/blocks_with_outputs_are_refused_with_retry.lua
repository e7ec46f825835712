-- A block that makes files is not made anew: what reads them would not wait for the last attempt.
-- expect-status: 1
-- expect-stdout: refused
local made = os.tmpname()
local maker = work.process.shell("true")
maker.outputs = { made }
local block = BlockOperation(maker, function() end)
block.name, block.retry = "blk", { attempts = 2 }
local ok, problem = pcall(function() OperationQueue.default:addOperation(block) end)
assert(not ok and problem.code == "misuse", tostring(problem))
assert(problem:find("'blk' cannot be retried: its block 'process.shell' has outputs", 1, true), tostring(problem))
block.retry = nil
OperationQueue.default:addOperation(block)
block:waitUntilFinished()
assert(block.outcome == "succeeded", tostring(block.error))

-- Even if they are declared later.
local late = work.process.shell("true")
local other = BlockOperation(late)
other.retry = { attempts = 2 }
local held = OperationQueue { isSuspended = true }
held:addOperation(other)
late.outputs = { made }
held.isSuspended = false
other:waitUntilFinished()
os.remove(made)
assert(other.outcome == "failed" and other.error.code == "misuse", tostring(other.error))
print "refused"
