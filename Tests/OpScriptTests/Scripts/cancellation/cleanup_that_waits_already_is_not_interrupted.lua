-- `<close>` variables run shielded and may wait, even if the cancellation comes while they wait already.
local function closing(fn) return setmetatable({}, { __close = fn }) end
local results = {}
local function nap(name) results[name] = pcall(sleep, 0.01) end

--- Runs a body until it waits, and cancels it.
local function cancelled(body)
    local operation = async(body)
    sleep(0.001)
    operation:cancel()
    operation:waitUntilFinished()
    assert(operation.outcome == "cancelled", operation.outcome)
end

cancelled(function() local _ <close> = closing(function() nap "left normally" end) end)
cancelled(function()
    coroutine.wrap(function() local _ <close> = closing(function() nap "in a coroutine" end) end)()
end)
local afterwards
cancelled(function()
    pcall(function()
        local _ <close> = closing(function() nap "left by an error" end)
        error "on purpose"
    end)
    afterwards = pcall(sleep, 0.01)
end)
assert(afterwards == false, "after the cleanup, the body is cancelled")
cancelled(function()
    xpcall(function()
        local _ <close> = closing(function() nap "left by an error with a handler" end)
        error "on purpose"
    end, function(message) return message end)
end)
cancelled(function()
    local _ <close> = closing(function()
        pcall(error, "on purpose")
        nap "after an error in the cleanup"
    end)
    sleep(30)
end)
cancelled(function()
    local _ <close> = closing(function()
        coroutine.resume(coroutine.create(error), "on purpose")
        nap "after an error of a coroutine in the cleanup"
    end)
    sleep(30)
end)

local count = 0
for name, isShielded in pairs(results) do
    assert(isShielded, name)
    count = count + 1
end
assert(count == 6)
