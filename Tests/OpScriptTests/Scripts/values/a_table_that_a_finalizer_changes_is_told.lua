-- A finalizer may change a table while it is copied: that is an error with this reason.
-- collector: own
local copy = isolate(function() return 1 end)
local operation = copy(1)
local fields, isActive, told = nil, false, 0
local function arm()
    setmetatable({}, { __gc = function()
        if isActive then
            isActive = false
            for key in pairs(fields) do fields[key] = nil end
            for number = 1, 3000 do fields["n" .. number .. "x"] = 1 end
        end
        arm()
    end })
end
for _ = 1, 30 do arm() end
collectgarbage("incremental", 100, 400, 6)
for round = 1, 40 do
    fields = {}
    for number = 1, 300 do fields["k" .. number] = number % 2 == 0 and operation or {} end
    for _ = 1, round * 7 % 97 * 10 do local _ = {} end
    isActive = true
    local ok, problem = pcall(copy, fields)
    isActive = false
    if not ok then
        assert(tostring(problem):find("the table was changed while it was read"), problem)
        told = told + 1
    end
end
assert(told > 0, "no finalizer ran meanwhile")
collectgarbage("incremental", 200, 100, 13)
await(operation)
