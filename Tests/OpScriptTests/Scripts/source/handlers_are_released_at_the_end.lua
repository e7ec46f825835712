-- After the cancel handler all handlers are released, and with them the objects that they hold.
local held = setmetatable({}, { __mode = "v" })
local source = DispatchSource.userDataAdd()
do
    local object = {}
    held[1] = object
    source:setEventHandler(function() return object end)
    source:setRegistrationHandler(function() return object end)
    source:setCancelHandler(function() return object end)
end
source:activate()
collectgarbage()
assert(held[1])
source:cancel()
sleep(0) sleep(0)
collectgarbage()
assert(not held[1])
