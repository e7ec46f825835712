-- Arguments are checked when `work.NAME(...)` is called: a wrong type raises there.
local function refused(fn, expected)
    local ok, err = pcall(fn)
    assert(not ok, "accepted: " .. expected)
    assert(tostring(err):find(expected, 1, true), tostring(err))
    assert(tostring(err):find("a_wrong_type_raises_when_it_is_called%.lua:%d+: "), tostring(err))
end
refused(function()
    local op = work.sleep("soon")
    return op
end, "bad argument #1 to 'sleep' (number expected, got string)")
refused(function()
    local op = work.file.read({})
    return op
end, "bad argument #1 to 'file.read' (string expected, got table)")
refused(function()
    local op = work.sleep(nil)
    return op
end, "bad argument #1 to 'sleep' (number expected, got n")
