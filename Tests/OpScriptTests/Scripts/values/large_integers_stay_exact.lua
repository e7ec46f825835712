-- Integers are 64 bit in both directions.
assert(await(work.json.encode { math.maxinteger, math.mininteger })
    == "[9223372036854775807,-9223372036854775808]")
local value = await(work.json.decode("[9223372036854775807,-9223372036854775808]"))
assert(value[1] == math.maxinteger and value[2] == math.mininteger)
assert(math.type(value[1]) == "integer" and math.type(value[2]) == "integer")
