-- recorded.lua N [fail]: operations with different arguments that do next to nothing, for a journal to record.
local n, fails = math.tointeger(arg[1]), arg[2]
local queue = OperationQueue()
local encode = work.json.encode
local start = clock.now()
local last
for i = 1, n do last = queue:addOperation(encode(i)) end
queue:waitUntilAllOperationsAreFinished()
print("recorded", n, (clock.now() - start) * 1e9 // 1 | 0)
assert(last.result == tostring(n), "the last one failed")
-- A run that did not end well is continued by the next one.
if fails then os.exit(1, true) end
