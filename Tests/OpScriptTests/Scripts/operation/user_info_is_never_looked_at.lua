-- `userInfo` takes any value, and returns it unchanged.
local op = Operation(function() end)
for _, info in ipairs { 1, "x", true, print, {}, coroutine.create(print), io.stdout } do
    op.userInfo = info
    assert(rawequal(op.userInfo, info))
end
op.userInfo = nil
assert(op.userInfo == nil)
