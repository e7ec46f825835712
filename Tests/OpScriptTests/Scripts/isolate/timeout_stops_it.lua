-- `timeout` stops an isolate that does not end.
local operation = isolate(function() while true do end end)()
operation.timeout = 0.05
local ok, message = pawait(operation)
assert(not ok and message.code == "timeout", tostring(message))
local wrapped = isolate(function()
    local co = coroutine.wrap(function() while true do end end)
    co()
end)()
wrapped.timeout = 0.05
assert(select(2, pawait(wrapped)).code == "timeout")
