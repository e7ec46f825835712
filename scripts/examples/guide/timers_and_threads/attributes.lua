#!/usr/bin/env opscript
-- The attributes of a thread are its name, stack size, priority and quality of service. Set them before
-- the thread starts. A thread-local dictionary is not needed: no other thread sees the local variables of
-- the body.
-- In the guide: Threading Programming Guide, "Configuring Thread Attributes"

-- Recursive: deep structures need a large stack.
local function depth(list)
    local deepest = 0
    for _, item in ipairs(list) do deepest = math.max(deepest, depth(item)) end
    return deepest + 1
end

local thread = Thread {
    name = "measure",
    isolate = function(levels)
        local list = {}                         -- local to this thread
        for _ = 2, levels do list = { list } end
        return depth(list), Thread.current.name
    end,
    args = { 150 },
}
thread.stackSize = 4 << 20
thread.threadPriority = 0.2
thread.qualityOfService = "utility"
print(thread.name, thread.stackSize, thread.threadPriority, thread.qualityOfService)

thread:start():join()
print(thread:results())

-- After the start, the attributes cannot be set.
for _, attribute in ipairs { "name", "stackSize", "threadPriority" } do
    local ok, problem = pcall(function() thread[attribute] = thread[attribute] end)
    print(attribute, ok, problem.code)
end

-- A stack size must be a multiple of 4096 and at least 16384.
local ok, problem = pcall(Thread, { isolate = function() end, stackSize = 10000 })
print("10000 bytes", ok, problem.code)
