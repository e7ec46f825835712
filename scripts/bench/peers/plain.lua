-- plain.lua fib|strings|tables N REPETITIONS: Lua code that needs no library, run by both commands; CPU time.
local shape, n, repetitions = arg[1], math.tointeger(arg[2]), math.tointeger(arg[3])

local function fib(k) return k < 2 and k or fib(k - 1) + fib(k - 2) end

local shapes = {}

-- Calls: n times fib(15), of 1 973 calls each.
function shapes.fib(n)
    local sum = 0
    for _ = 1, n do sum = sum + fib(15) end
    assert(sum == 610 * n)
end

-- Short strings made, searched and joined.
function shapes.strings(n)
    local words, hits = {}, 0
    for i = 1, n do
        local word = string.format("key-%d", i % 5000) .. "=" .. i
        if word:find("=", 1, true) then hits = hits + 1 end
        words[i % 100 + 1] = word:upper()
    end
    assert(hits == n)
    assert(table.concat(words):gsub("KEY", "") ~= "")
end

-- Records in an array: made, changed, sorted in part.
function shapes.tables(n)
    local rows = {}
    for i = 1, n do rows[i] = { id = i, weight = i * 7919 % 1000, name = "row" } end
    local sum = 0
    for _, row in ipairs(rows) do
        row.weight = row.weight + 1
        sum = sum + row.id
    end
    assert(sum == n * (n + 1) // 2)
    local few = table.move(rows, 1, math.min(n, 5000), 1, {})
    table.sort(few, function(a, b) return a.weight < b.weight end)
    assert(few[1].weight <= few[#few].weight)
end

local run = assert(shapes[shape], "no such shape")
run(n // 4 + 1)
for _ = 1, repetitions do
    collectgarbage()
    local start = os.clock()
    run(n)
    print(shape, n, (os.clock() - start) * 1e9 // 1 | 0)
end
