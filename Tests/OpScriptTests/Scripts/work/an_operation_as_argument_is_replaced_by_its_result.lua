-- An argument that is an operation is replaced by its result when the body starts.
local text = Operation(function() return "[1, 2" end)
local tail = Operation(function() return "]" end)
local joined = Operation(function() return text.result .. tail.result end)
joined:addDependency(text)
joined:addDependency(tail)
local value = await(work.json.decode(joined))
assert(#value == 2 and value[2] == 2)
