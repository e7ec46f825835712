-- A missing method raises when the operation is made, not when it runs.
local ok, err = pcall(function()
    local op = InvocationOperation({ open = function() end }, "opne")
    return op
end)
assert(not ok, "an invocation of a missing method was made")
assert(tostring(err):find("opne", 1, true), tostring(err))
