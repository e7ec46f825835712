-- pending.lua N: bytes of resident memory that an operation with a name and a dependency holds while it waits.
local n = math.tointeger(arg[1])
local pageSize
do
    local pipe <close> = assert(io.popen "getconf PAGESIZE")
    pageSize = assert(pipe:read "n", "getconf prints no page size")
end

local function residentBytes()
    local file <close> = assert(io.open("/proc/self/statm"))
    local _, pages = file:read("n", "n")
    return pages * pageSize
end

-- Objects that every run needs once are created before.
local queue = OperationQueue { name = "pending", isSuspended = true }
queue:addOperation(work.compute.primes(1)):cancel()
collectgarbage()

local before = residentBytes()
local last
for i = 1, n do
    local op = work.compute.primes(1)
    op.name = "op " .. i
    if last then op:addDependency(last) end
    last = queue:addOperation(op)
end
collectgarbage()
local bytes = residentBytes() - before
assert(queue.operationCount >= n)

queue.isSuspended = false
queue:waitUntilAllOperationsAreFinished()
assert(last.outcome == "succeeded" and last.name == "op " .. n)
print("pending", n, bytes)
