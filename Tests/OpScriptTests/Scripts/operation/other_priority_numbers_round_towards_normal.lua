-- Other numbers of `queuePriority` round towards normal.
local op = Operation(function() end)
for number, name in pairs {
    [100] = "veryHigh", [9] = "veryHigh", [7] = "high", [5] = "high", [3] = "normal", [1] = "normal",
    [-1] = "normal", [-3] = "normal", [-5] = "low", [-7] = "low", [-9] = "veryLow", [-1000] = "veryLow",
} do
    op.queuePriority = number
    assert(op.queuePriority == name, number .. " became " .. op.queuePriority)
end
