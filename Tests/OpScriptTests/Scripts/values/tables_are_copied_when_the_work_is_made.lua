-- Tables are copied, deeply, when `work.NAME(...)` is called.
local inner = { 1, 2 }
local value = { inner }
local op = work.json.encode(value)
inner[1] = 99
value[2] = "added later"
assert(await(op) == "[[1,2]]")
