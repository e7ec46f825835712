-- Operations given to a Swift closure represent their results.
local value = Operation(function() return { list = { 1, 2 } } end)
assert(await(work.json.encode(value)) == '{"list":[1,2]}')
