-- `op:describe()`: a plain table from which `Operation(table)` makes it again.
local op = Operation { name = "encode", work = "json.encode", args = { { 1, "x" } }, queuePriority = "high",
    retry = { attempts = 2 }, timeout = 9 }
local plain = op:describe()
assert(type(plain) == "table" and getmetatable(plain) == nil)
local again = Operation(plain)
assert(again ~= op and again.name == "encode" and again.queuePriority == "high")
assert(again.timeout == 9 and again.retry.attempts == 2)
assert(await(again) == '[1,"x"]')
assert(await(op) == '[1,"x"]')
