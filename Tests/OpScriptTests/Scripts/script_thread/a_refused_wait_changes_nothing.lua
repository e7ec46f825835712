-- A refused wait does not affect the object that it would have waited for.
local op = Operation(function() return 5 end)
pcall(table.sort, { 2, 1 }, function(a, b)
    await(op)
    return a < b
end)
assert(await(op) == 5)
