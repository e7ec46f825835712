-- An unknown name raises at once, even if it is the name before the first dot.
local ok, err = pcall(function()
    local op = work.flie.read("x")
    return op
end)
assert(not ok)
assert(tostring(err):find("flie", 1, true) and tostring(err):find("file", 1, true), tostring(err))
