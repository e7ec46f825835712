-- A wait inside a coroutine lets other Lua run meanwhile.
local gate = Gate "gate"
local opener = async(function() gate:finish("opened by another") end)
local co = coroutine.wrap(function() return await(gate) end)
assert(co() == "opened by another")
assert(opener.isFinished or opener:waitUntilFinished())
