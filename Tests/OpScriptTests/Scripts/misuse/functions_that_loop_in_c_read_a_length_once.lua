-- Functions that loop in C read an artificial length once.
assert(("").rep("", 1e15) == "" and ("").rep("", "1000000000000000") == "")
local asked = 0
local function length()
    asked = asked + 1
    return asked == 1 and 1 or 1 << 60
end
table.insert(setmetatable({}, { __len = length }), 1, 0)
assert(asked == 1)
-- Otherwise they behave as usual.
local mark = { __len = function(list) return rawlen(list) end }
local list = setmetatable({ 1, 2, 3 }, mark)
table.insert(list, 4)
table.insert(list, 1, 0)
assert(table.concat(list, ",") == "0,1,2,3,4")
assert(table.remove(list) == 4 and table.remove(list, 1) == 0)
assert(table.concat(list, ",") == "1,2,3")
assert(not pcall(table.insert, list, 5, 1) and not pcall(table.insert, list, 0, 1) and not pcall(table.insert, list, 1, 2, 3))
assert(not pcall(table.remove, list, 5) and table.remove(list, 4) == nil)
assert(table.remove(setmetatable({}, mark)) == nil)
