-- An observer of `completionBlock` is notified when the block is set, and when it is called and released.
local op, told = Operation(function() end), {}
local block = function() told[#told + 1] = "called" end
op:observe("completionBlock", function(change)
    assert((change.old or block) == block and (change.new or block) == block)
    told[#told + 1] = change.new and "set" or "released"
end)
op.completionBlock = block
await(op)
sleep(0)
assert(table.concat(told, " ") == "set called released", table.concat(told, " "))
assert(op.completionBlock == nil)
