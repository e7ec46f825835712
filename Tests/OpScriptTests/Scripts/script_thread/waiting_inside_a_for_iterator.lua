-- Waiting works inside the iterator of a `for`.
local function slow_range(n)
    return function(_, i)
        sleep(0.0005)
        if i < n then return i + 1 end
    end, nil, 0
end
local sum = 0
for i in slow_range(5) do sum = sum + i end
assert(sum == 15)
