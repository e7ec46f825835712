-- A table may have any length without as many elements: that is an error, wherever a list is taken.
-- expect-stderr: 'group' .* was made but never added to a queue
local parts = {}
for bit = 0, 62 do parts[#parts + 1] = ("[%d]=f"):format(1 << bit) end
parts[#parts + 1] = "[math.maxinteger]=f"
local list = load("local f=function() end return {" .. table.concat(parts, ",") .. "}")()
assert(#list == math.maxinteger)
local function isRefused(...)
    local ok, problem = pcall(...)
    assert(not ok and tostring(problem):find("too many"), problem)
end
isRefused(OperationQueue().addOperations, OperationQueue(), list)
isRefused(GroupOperation, list)
isRefused(Operation, { work = "sleep", args = list })
isRefused(Thread, { work = "sleep", args = list })
