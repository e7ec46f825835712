-- An argument that is an operation makes the new operation depend on it.
local first = work.json.decode("[1]")
local second = work.json.encode(first)
assert(#second.dependencies == 1 and second.dependencies[1] == first)
assert(second.isReady == false)
await(second)
assert(first.isFinished and second.result == "[1]")
