-- A table is copied for each that refers to it, and a packed list has the elements that it says: up to ten million values in all.
local shared = { 1 }
for _ = 1, 40 do shared = { shared, shared } end
local ok, problem = pcall(function() return await(work.json.encode(shared)) end)
assert(not ok and problem.message:find("more than 10000000 parts"), problem)
-- One that says that it has very many, and has none, is no packed list.
assert(await(work.json.encode { n = 9999999 }) == '{"n":9999999}')
assert(await(work.json.encode { n = 3 }) == "[null,null,null]")
