-- `queuePriority` takes -8, -4, 0, 4, 8 too, and reads as a name.
local op = Operation(function() end)
local names = { [-8] = "veryLow", [-4] = "low", [0] = "normal", [4] = "high", [8] = "veryHigh" }
for number, name in pairs(names) do
    op.queuePriority = number
    assert(op.queuePriority == name, number)
    op.queuePriority = "normal"
    op.queuePriority = name
    assert(op.queuePriority == name, name)
end
