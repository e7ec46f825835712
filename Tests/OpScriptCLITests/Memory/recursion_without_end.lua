-- The stack of Lua, and that of the C functions below it.
local function count() return 1 + count() end
assert(not pcall(count))
local function replace() return (("x"):gsub("x", replace)) end
assert(not pcall(replace))
local nested = {}
for _ = 1, 200000 do nested = { nested } end
assert(not pcall(json.encode, nested))
print "end"
