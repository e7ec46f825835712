-- Integers stay integers, floats stay floats.
local value = await(work.json.decode("[3, 3.5, 9007199254740993]"))
assert(math.type(value[1]) == "integer" and value[1] == 3)
assert(math.type(value[2]) == "float" and value[2] == 3.5)
assert(math.type(value[3]) == "integer" and value[3] == 9007199254740993)
assert(await(work.json.encode { 3, 3.5, math.maxinteger }) == "[3,3.5,9223372036854775807]")
