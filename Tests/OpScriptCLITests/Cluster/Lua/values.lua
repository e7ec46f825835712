-- Arguments and results of every kind travel to a node and back.
local way = ...
local q = OperationQueue { on = "slurm", pilots = way == "pilots" and { max = 2 } or nil }

local echo = isolate(function(...) return ... end)
local function there(...)
    local op = echo(...)
    q:addOperation(op)
    return await(op)
end

assert(there(1) == 1 and math.type(there(1)) == "integer")
assert(there(1.0) == 1.0 and math.type(there(1.0)) == "float")
assert(there("a\0b\xff\n") == "a\0b\xff\n")
assert(there() == nil and there(nil) == nil)
assert(there(true) == true and there(false) == false)
local a, b, c = there(1, "two", 3.5)
assert(a == 1 and b == "two" and c == 3.5)
local t = there { 1, 2, { x = "y" }, key = { [1.5] = true } }
assert(t[1] == 1 and t[3].x == "y" and t.key[1.5] == true)
local long = string.rep("x", 3000000)
assert(there(long) == long)

-- A result is the argument of the next body, wherever that runs.
local first = work.compute.primes(1000)
local second = echo(first)
local third = work.compute.primes(second)
q:addOperation(first)
q:addOperation(second)
assert(await(third) == 39)

-- Variables of a function go along.
local limit, seen = 5, {}
local function double(n) return n * 2 end
local count = isolate(function(n)
    local sum = limit
    for i = 1, n do sum = sum + double(i) end
    seen[#seen + 1] = sum
    return sum, #seen
end)
local op = count(3)
q:addOperation(op)
local sum, size = await(op)
assert(sum == 17 and size == 1 and #seen == 0)

-- Errors keep their code, their text and their fields.
local bad = work.process.run { "sh", "-c", "echo out; echo err >&2; exit 3" }
q:addOperation(bad)
local ok, err = pawait(bad)
assert(not ok and err.code == "failed" and err.status == 3 and err.output == "out\n" and err.errorOutput == "err\n")
assert(tostring(err):find("ended with status 3:\nout\nerr", 1, true), tostring(err))
local raised = isolate(function() error { code = 7 } end)()
q:addOperation(raised)
ok, err = pawait(raised)
assert(not ok and err ~= nil)

print(way, "fine")
