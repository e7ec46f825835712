-- `await` of a cancelled operation raises an error with code `cancelled`.
local op = Operation { name = "gone", main = function() end }
op:cancel()
local ok, err = pcall(await, op)
assert(not ok and err.code == "cancelled", tostring(err))
local also_ok, same = pawait(op)
assert(also_ok == false and same.code == "cancelled")
