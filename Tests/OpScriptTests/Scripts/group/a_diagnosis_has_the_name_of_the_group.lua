-- A wait for a slot inside of a group names the group.
local text
local b = Operation { name = "b", main = function() end }
local group = GroupOperation { name = "chapter", maxConcurrentOperationCount = 1,
    Operation { name = "a", main = function() text = tostring(select(2, pcall(await, b))) end }, b }
await(group)
assert(text:find("'b' waits for a slot inside of 'chapter', which 'a' holds", 1, true), text)
