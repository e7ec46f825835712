-- A finalizer that runs below a function of the host, and needs more memory than there is, gets an error like any other code.
local json = require "json"
local zero <close> = io.open("/dev/zero", "rb")
local isBelow, told = false, 0
local list = {}
for number = 1, 300 do list[number] = { number, { tostring(number) } } end
for _ = 1, 100 do
    setmetatable({}, { __gc = function()
        if not isBelow then return end
        local ok, problem = pcall(zero.read, zero, 1 << 45)
        assert(not ok and problem == "not enough memory", problem)
        told = told + 1
    end })
    isBelow = true
    json.decode(json.encode(list))
    isBelow = false
end
assert(told > 0, "no finalizer ran below a function of the host")
