-- processes.lua N: N times /bin/true, two at a time.
local n = math.tointeger(arg[1])
local queue = OperationQueue { name = "processes", maxConcurrentOperationCount = 2 }
local count = 0
local function completed(op)
    if op.outcome == "succeeded" and op.result.status == 0 then count = count + 1 end
end
for _ = 1, n do
    local op = work.process.run { "/bin/true" }
    op.completionBlock = completed
    queue:addOperation(op)
end
queue:waitUntilAllOperationsAreFinished()
assert(count == n, "some processes did not succeed")
