-- Waiting inside `__gc` raises `cannot wait here`.
local called, ok, err = false, nil, nil
setmetatable({}, { __gc = function()
    called = true
    ok, err = pcall(sleep, 0.001)
end })
collectgarbage()
collectgarbage()
assert(called)
assert(ok == false and tostring(err):find("cannot wait here", 1, true), tostring(err))
sleep(0)
