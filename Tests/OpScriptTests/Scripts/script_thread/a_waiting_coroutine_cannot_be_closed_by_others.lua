-- A coroutine inside which a wait is in progress can't be closed by others meanwhile.
local gate, started = Gate "gate", Gate "started"
local co = coroutine.create(function()
    started:finish()
    return await(gate)
end)
local owner = async(function() return select(2, coroutine.resume(co)) end)
await(started)
assert(not pcall(coroutine.close, co), "a stranger closed a waiting coroutine")
gate:finish("unharmed")
assert(await(owner) == "unharmed")
