-- An unknown work in an option table raises at once, with the nearest known names.
local ok, err = pcall(function()
    local op = Operation { work = "json.decod", args = { "[]" } }
    return op
end)
assert(not ok)
assert(tostring(err):find("json.decode", 1, true), tostring(err))
