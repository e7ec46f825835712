-- The second global queue that a script uses takes no turn away from operations that wait in the first.
local order, group = {}, DispatchGroup()
local function note(class) return { function() order[#order + 1] = class end, group = group } end
for _ = 1, 5 do DispatchQueue.global("low"):async(note "low") end
DispatchQueue.global("high"):async(note "high")
group:wait()
assert(table.concat(order, " ") == "high low low low low low", table.concat(order, " "))
