-- An operation that can never run is an error that says why; the delay of its addition changes nothing.
-- expect-status: 3
-- expect-stderr: 'late' .*can never run: 'late' waits for 'never', which was never added
local never, late = work.sleep(0), work.sleep(0)
never.name, late.name = "never", "late"
late:addDependency(never)
OperationQueue.default:addOperation(late, { after = 0.02 })
