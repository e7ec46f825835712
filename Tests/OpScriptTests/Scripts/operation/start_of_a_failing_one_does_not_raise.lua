-- A failure of an operation started by hand is its outcome; `start` raises for misuse only.
local op = Operation { allowsFailure = true, main = function() error("broken") end }
op:start()
assert(op.outcome == "failed" and op.error.message:find("broken$"))
