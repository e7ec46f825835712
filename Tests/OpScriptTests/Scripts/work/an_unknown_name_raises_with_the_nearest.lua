-- An unknown name raises at once, with the nearest known names.
local ok, err = pcall(function()
    local op = work.file.raed("x")
    return op
end)
assert(not ok, "an unknown work was accepted")
assert(tostring(err):find("file.raed", 1, true), tostring(err))
assert(tostring(err):find("file.read", 1, true), tostring(err))
