-- `qualityOfService`: five classes; another one raises.
local op = Operation(function() end)
assert(op.qualityOfService == "default")
for _, class in ipairs { "background", "utility", "default", "userInitiated", "userInteractive" } do
    op.qualityOfService = class
    assert(op.qualityOfService == class)
end
local ok, err = pcall(function() op.qualityOfService = "userInitated" end)
assert(not ok and tostring(err):find("userInitiated", 1, true), tostring(err))
