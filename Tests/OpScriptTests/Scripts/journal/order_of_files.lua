-- An operation that reads a file depends on the one that makes it, in either order of their creation; a cycle is refused.
local function nothing() end
local reader = Operation { name = "reader", inputs = { "dir/./a.txt" }, main = nothing }
local maker = Operation { name = "maker", outputs = { "dir/a.txt" }, main = nothing }
assert(#reader.dependencies == 1 and reader.dependencies[1] == maker)
local late = Operation { name = "late", inputs = { "dir/*.txt" }, main = nothing }
assert(#late.dependencies == 1 and late.dependencies[1] == maker)

maker.inputs = { "out" }
local ok, e = pcall(function() reader.outputs = { "out" } end)
assert(not ok and e.code == "cycle", tostring(e))
ok, e = pcall(function() late.outputs = { "dir/x/../a.txt" } end)
local text = "'dir/x/../a.txt' is among the outputs of 'maker' already, as 'dir/a.txt'"
assert(not ok and e.code == "argument" and e.message:find(text, 1, true))
for _, op in ipairs { reader, maker, late } do op:cancel() end
