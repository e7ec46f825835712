-- An operation that was cancelled while it executed, and has finished, delays no diagnosis.
local op = async(sleep, 60)
repeat sleep(0.001) until op.isExecuting
op:cancel()
pawait(op)
local start = clock.now()
local ok, problem = pcall(await, Gate "never")
assert(not ok and problem.code == "deadlock", tostring(problem))
assert(clock.now() - start < 3, "the diagnosis came late")
