-- The error of a time limit has the output of the program, and its end.
-- expect-status: 1
-- expect-stderr: 'slow' timed out after 3 s: 'echo begun;
-- expect-stderr: was ended by signal 15 %(SIGTERM%):
-- expect-stderr: begun
local slow = work.process.shell("echo begun; echo 'no answer' >&2; sleep 1000")
slow.name = "slow"
slow.timeout = 3
OperationQueue.default:addOperation(slow)
slow:waitUntilFinished()
assert(slow.error.code == "timeout", slow.error.code)
assert(slow.error.signal == 15 and slow.error.status == nil)
assert(slow.error.output == "begun\n" and slow.error.errorOutput == "no answer\n")
-- One that ends well when it is asked to has a status.
local polite = work.process.shell("trap 'echo saved; exit 0' TERM; echo begun; while :; do sleep 0.01; done")
polite.timeout = 3
local ok, problem = pawait(polite)
assert(not ok and problem.code == "timeout" and problem.status == 0 and problem.output == "begun\nsaved\n")
