-- `n` beside keys that are not 1...n is a field.
local json = require "json"
local back = json.decode(await(work.json.encode { n = 2, name = "x" }))
assert(back.n == 2 and back.name == "x")
