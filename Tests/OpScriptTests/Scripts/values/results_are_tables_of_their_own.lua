-- Tables from Swift are plain tables that the script may change.
local op = work.json.decode('{"list": [1, 2, 3], "name": "x"}')
local value = await(op)
value.list[4] = 4
value.extra = true
assert(#value.list == 4 and value.extra and value.name == "x")
