-- A timeout that is not reached changes nothing, and does not hold the run.
local op = Operation { timeout = 600, main = function() return "quick" end }
assert(await(op) == "quick" and op.outcome == "succeeded")
