-- A completion block that is set after the end is called at the next turn.
local op = Operation(function() return 3 end)
await(op)
local called = 0
op.completionBlock = function(done)
    assert(done == op and done.result == 3)
    called = called + 1
end
assert(called == 0, "it was called within the assignment")
sleep(0)
assert(called == 1)
sleep(0)
assert(called == 1)
