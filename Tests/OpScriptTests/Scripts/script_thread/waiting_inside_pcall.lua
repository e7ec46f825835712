-- Waiting works inside `pcall`, and an error after the wait is still caught.
local op = Operation(function()
    sleep(0.001)
    return "value"
end)
local ok, value = pcall(await, op)
assert(ok and value == "value")
local caught, err = pcall(function()
    sleep(0.001)
    error({ reason = "later" })
end)
assert(not caught and err.reason == "later")
