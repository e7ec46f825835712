-- Lua bodies of global queues start by class, the highest first; one turn in sixteen is for the lowest class.
local order = {}
local function note(class) return function() order[#order + 1] = class end end
local bodies = {}
for _, class in ipairs { "background", "low", "default", "high" } do
    for _ = 1, 10 do bodies[#bodies + 1] = DispatchQueue.global(class):async(note(class)) end
end
await.all(bodies)
local early = {}
for place = 1, 10 do early[order[place]] = (early[order[place]] or 0) + 1 end
assert(early.high >= 9, table.concat(order, " "))
local first = {}
for place, class in ipairs(order) do first[class] = first[class] or place end
assert(first.high < first.default and first.default < first.low, table.concat(order, " "))
assert(first.background <= 16, "the lowest class does not wait for all others: " .. table.concat(order, " "))
assert(#order == 40)

-- Other turns keep their places: what was pending before the last of these bodies comes before it.
order = {}
local serial = DispatchQueue "serial"
await.all {
    DispatchQueue.global("low"):async(note "low"), serial:async(note "serial"), DispatchQueue.global("high"):async(note "high"),
}
assert(table.concat(order, " ") == "high serial low", table.concat(order, " "))

-- A class that is used for the first time while bodies of another one wait takes no turn away from them.
order, bodies = {}, {}
for _ = 1, 5 do bodies[#bodies + 1] = DispatchQueue.global("utility"):async(note "utility") end
for _ = 1, 2 do bodies[#bodies + 1] = DispatchQueue.global("userInteractive"):async(note "interactive") end
await.all(bodies)
assert(#order == 7 and order[1] == "interactive", table.concat(order, " "))
