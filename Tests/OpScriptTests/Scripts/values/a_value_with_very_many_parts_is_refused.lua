-- A table is copied for each reference to it, and a packed list has as many elements as its `n`: up to ten million values in all.
local shared = { 1 }
for _ = 1, 40 do shared = { shared, shared } end
local ok, problem = pcall(function() return await(work.json.encode(shared)) end)
assert(not ok and problem.message:find("more than 10000000 parts"), problem)
-- A table with a very large `n` and no elements is not a packed list.
assert(await(work.json.encode { n = 9999999 }) == '{"n":9999999}')
assert(await(work.json.encode { n = 3 }) == "[null,null,null]")
