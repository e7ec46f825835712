-- With a seed pairs and next go through numbers, strings and booleans sorted, then objects as they were made.
-- arguments: --virtual
-- expect-stdout: -1 1 2 2.5 10 A a b ba false true
-- expect-stdout: first second third fourth fifth
local set = {}
for _, key in ipairs { "b", true, 10, "a", 2.5, false, 2, "ba", 1, -1, "A" } do
    set[key] = true
end
local keys = {}
for key in pairs(set) do
    keys[#keys + 1] = tostring(key)
end
print(table.concat(keys, " "))
local first, second, third = {}, Operation(function() end), function() end
local fourth, fifth = coroutine.create(third), OperationQueue()
second.name = "unused"
local named = { [fifth] = "fifth", [third] = "third", [first] = "first", [fourth] = "fourth", [second] = "second" }
local names = {}
for _, name in next, named do
    names[#names + 1] = name
end
print(table.concat(names, " "))
fifth:addOperation(second)
