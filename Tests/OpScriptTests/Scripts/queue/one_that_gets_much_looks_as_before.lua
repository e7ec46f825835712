-- A queue that gets hundreds of operations is handled in another way; a script sees no difference.
local busy, idle = OperationQueue { name = "busy" }, OperationQueue { name = "idle" }
local names = { "addOperation", "cancelAllOperations", "observe" }
for _ = 1, 700 do busy:addOperation(function() end) end

assert(getmetatable(busy) == getmetatable(idle))
for _, name in ipairs(names) do assert(busy[name] == idle[name], name) end
assert(busy.name == "busy" and idle.name == "idle")
assert(busy.operationCount == 700 and idle.operationCount == 0)
busy.maxConcurrentOperationCount = 3
assert(busy.maxConcurrentOperationCount == 3 and idle.maxConcurrentOperationCount == -1)
local function described(queue) return (tostring(queue):gsub(queue.name, ""):gsub("%d+", "")) end
assert(described(busy) == described(idle), described(busy))

local function message(f) return (tostring(select(2, pcall(f))):gsub("^[^:]*:%d+: ", "")) end
local function unknown(queue) return message(function() return queue.addOperatoin end) end
assert(unknown(busy) == unknown(idle), unknown(busy))
assert(message(function() busy.operationCount = 1 end) == message(function() idle.operationCount = 1 end))
assert(message(function() busy:addOperation(busy) end) == message(function() idle:addOperation(idle) end))
assert(message(function() busy:addOperation(busy) end):find("got OperationQueue", 1, true))

local last = busy:addOperation(function() return 7 end)
assert(last.queue == busy)
busy:waitUntilAllOperationsAreFinished()
assert(last.result == 7 and busy.operationCount == 0)

-- There is no reference to it any more: it is collected like others.
local known = setmetatable({ busy, idle }, { __mode = "v" })
busy, idle, last = nil, nil, nil
sleep(0)
collectgarbage()
collectgarbage()
assert(known[1] == nil and known[2] == nil)
