-- A missing argument raises when `work.NAME(...)` is called.
local ok, err = pcall(function()
    local op = work.file.write("only-a-path")
    return op
end)
assert(not ok, "an argument was missing")
assert(tostring(err):find("bad argument #2 to 'file.write'", 1, true), tostring(err))
