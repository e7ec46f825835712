-- `Operation { work = "name", args = { ... } }` is a Swift closure as body.
local op = Operation { work = "json.encode", args = { { 1, 2 } }, name = "encode", queuePriority = "high" }
assert(op.name == "encode" and op.queuePriority == "high")
assert(await(op) == "[1,2]")
local source = Operation(function() return "[7]" end)
local fed = Operation { work = "json.decode", args = { source } }
assert(fed.dependencies[1] == source)
assert(await(fed)[1] == 7)
