-- A coroutine inside which a wait is in progress can't be resumed by others meanwhile.
local gate, started = Gate "gate", Gate "started"
local co = coroutine.create(function()
    started:finish()
    return await(gate)
end)
local owner = async(function()
    local ok, value = coroutine.resume(co)
    assert(ok, value)
    return value
end)
await(started)
local ok, message = coroutine.resume(co, "intruder")
assert(ok == false and message ~= nil, "a stranger resumed a waiting coroutine")
gate:finish("by the gate")
assert(await(owner) == "by the gate")
assert(coroutine.status(co) == "dead")
