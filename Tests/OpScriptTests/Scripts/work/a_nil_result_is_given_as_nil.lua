-- The result of an operation that returned nothing is nil, also as an argument.
local nothing = Operation(function() end)
assert(await(work.json.encode(nothing)) == "null")
