-- Tables are copied deeply; a cycle is an error.
local value = { name = "ring", next = {} }
value.next.back = value
local ok, err = pcall(function()
    local op = work.json.encode(value)
    return op
end)
assert(not ok, "a cyclic table crossed")
assert(tostring(err):find("bad argument #1 to 'json.encode'", 1, true), tostring(err))
assert(tostring(err):find("cycle", 1, true) or tostring(err):find("itself", 1, true), tostring(err))
