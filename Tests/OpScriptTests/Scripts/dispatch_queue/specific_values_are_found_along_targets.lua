-- `getSpecific` searches the queue, then its targets; the type's function searches the current queue.
local upper = DispatchQueue "upper"
local lower = DispatchQueue { label = "lower", target = upper }
local key = {}
upper:setSpecific(key, "from above")
assert(lower:getSpecific(key) == "from above" and lower:getSpecific("other") == nil)
lower:setSpecific(key, false)
assert(lower:getSpecific(key) == false and upper:getSpecific(key) == "from above")
lower:setSpecific(key, nil)
assert(lower:sync(function() return DispatchQueue.getSpecific(key) end) == "from above")
assert(DispatchQueue.getSpecific(key) == nil)
assert(not pcall(lower.setSpecific, lower, nil, 1))
