-- `op:cancel()` sets `isCancelled` at once; cancelling again changes nothing.
local op, told = Operation(function() end), 0
op:observe("isCancelled", function(change)
    assert(change.old == false and change.new == true)
    told = told + 1
end)
op:cancel()
assert(op.isCancelled)
op:cancel()
sleep(0)
assert(told == 1, told)
