-- `nil` and booleans go between Lua and Swift.
assert(await(work.json.decode("true")) == true)
assert(await(work.json.decode("false")) == false)
assert(await(work.json.encode(true)) == "true")
assert(await(work.json.encode(false)) == "false")
assert(await(work.json.encode(nil)) == "null")
