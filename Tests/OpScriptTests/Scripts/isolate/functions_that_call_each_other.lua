-- Captured functions are copied too: those that call themselves or each other, and those that share an upvalue still share it.
local isOdd
local function isEven(n) if n == 0 then return true end return isOdd(n - 1) end
function isOdd(n) if n == 0 then return false end return isEven(n - 1) end
assert(await(isolate(function(n) return isEven(n) end)(10)) == true)

local function factorial(n) return n < 2 and 1 or n * factorial(n - 1) end
assert(await(isolate(factorial)(10)) == 3628800)

local count = 0
local function increment() count = count + 1 end
local function get() return count end
assert(await(isolate(function()
    increment()
    increment()
    return get() + count
end)()) == 4)
assert(count == 0)
