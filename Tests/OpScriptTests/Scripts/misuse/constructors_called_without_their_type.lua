-- The function behind `Operation(…)`, called directly and without arguments, raises an error and does no harm.
local constructors = {}
debug.sethook(function()
    local info = debug.getinfo(2, "f")
    constructors[info.func] = true
end, "c")
local ok, reason = pcall(function()
    Operation(print)
    BlockOperation(print)
    InvocationOperation({ print = print }, "print")
    GroupOperation {}
    Gate()
    OperationQueue()
    DispatchQueue("q")
    DispatchGroup()
    DispatchSemaphore(1)
    DispatchWorkItem(print)
    local sleep = work.sleep
end)
debug.sethook()
assert(ok, reason)
constructors[pcall], constructors[debug.sethook], constructors[print] = nil, nil, nil
local count = 0
for f in pairs(constructors) do
    if debug.getinfo(f, "S").what == "C" then
        count = count + 1
        for _ = 1, 50 do pcall(f) end
        pcall(f, 5, "name")
    end
end
assert(count >= 10, count)
collectgarbage()
