-- `finish` of a gate is visible at once, also in those that depended on it; a start that is too early names the unfinished dependency.
local gate, other = Gate "door", Gate "window"
local op = Operation { name = "waiting", dependencies = { gate, other }, main = function() return "ran" end }
local ok, problem = pcall(op.start, op)
assert(not ok and problem:find("'waiting' is not ready: it depends on 'door', which has not finished", 1, true), problem)
gate:finish()
assert(gate.isFinished and not op.isReady)
ok, problem = pcall(op.start, op)
assert(problem:find("it depends on 'window'", 1, true), problem)
other:finish()
assert(op.isReady)
op:start()
assert(op.result == "ran")
