-- `DispatchQueue.global` gives the same object each time, also by the old names; unknown names raise and name the nearest.
local global = DispatchQueue.global
assert(global() == global("default") and global("high") == global("userInitiated") and global("low") == global("utility"))
assert(global("background") ~= global() and global("background").qos == "background")
assert(global().label == "com.apple.root.default-qos")
local ok, err = pcall(global, "backgroud")
assert(not ok and err.code == "argument" and err:find("did you mean 'background'", 1, true), err)
for _, call in ipairs { "suspend", "resume" } do
    ok, err = pcall(global()[call], global())
    assert(not ok and err.code == "misuse" and err:find("it is a global queue", 1, true), err)
end
assert(not pcall(global().setSpecific, global(), "k", 1))
-- A barrier is an ordinary block there: both are under way together.
local here, there = Gate(), Gate()
global():async(function() here:finish() await(there) end)
global():async { function() await(here) there:finish() end, flags = "barrier" }
await(there)
