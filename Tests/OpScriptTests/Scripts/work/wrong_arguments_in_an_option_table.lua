-- The arguments of `Operation { work = ..., args = ... }` are checked when it is made.
local ok, err = pcall(function()
    local op = Operation { work = "sleep", args = { "soon" } }
    return op
end)
assert(not ok, "a wrong argument was accepted")
assert(tostring(err):find("number expected, got string", 1, true), tostring(err))
