-- A completion block that was set to nil, or replaced, is not called.
local log = {}
local first, second = Operation(function() end), Operation(function() end)
first.completionBlock = function() log[#log + 1] = "first" end
first.completionBlock = nil
second.completionBlock = function() log[#log + 1] = "old" end
second.completionBlock = function() log[#log + 1] = "new" end
await.all { first, second }
sleep(0)
assert(table.concat(log) == "new")
