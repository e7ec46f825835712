-- A table that occurs twice, without a cycle, is copied twice.
local shared = { 1 }
assert(await(work.json.encode { shared, shared, { shared } }) == "[[1],[1],[[1]]]")
