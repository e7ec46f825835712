#!/usr/bin/env opscript
-- With a stride, each iteration of a concurrent loop does the work of many, so there are fewer iterations
-- to schedule. Their number is the count divided by the stride. The script computes the remainder
-- separately.
-- In the guide: Migrating Away from Threads, "Improving on Loop Code", listing 5-4

local count, stride = 1000, 137

-- The sum of all digits of the numbers from `first` to `last`.
local digitSum = isolate(function(first, last)
    local sum = 0
    for number = first, last do
        for digit in tostring(number):gmatch("%d") do sum = sum + tonumber(digit) end
    end
    return sum
end)

local sums = {}
DispatchQueue.concurrentPerform(count // stride, function(i)
    local first = (i - 1) * stride + 1
    sums[i] = await(digitSum(first, first + stride - 1))
end)

local rest = count - count % stride + 1
local total = await(digitSum(rest, count))
for _, sum in ipairs(sums) do total = total + sum end

print("portions", #sums, "from " .. rest .. " on directly", count - rest + 1)
print("sum", total, "as in one piece", total == await(digitSum(1, count)))
