-- `observe` returns an observation with `:invalidate()`, after which no call comes.
local op = Operation(function() end)
local heard = 0
local observation = op:observe("isFinished", function() heard = heard + 1 end)
op:observe("isFinished", function() heard = heard + 100 end)
observation:invalidate()
await(op)
sleep(0)
assert(heard == 100, heard)
