-- `change` is `{ object, key, old, new }`; every transition is delivered once.
local op = Operation(function() end)
local changes = {}
op:observe("isFinished", function(change) changes[#changes + 1] = change end)
await(op)
sleep(0)
assert(#changes == 1, #changes)
assert(changes[1].object == op and changes[1].key == "isFinished")
assert(changes[1].old == false and changes[1].new == true)
