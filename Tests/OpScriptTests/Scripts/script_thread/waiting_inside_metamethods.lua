-- Waiting works wherever a coroutine can yield: metamethods called from Lua code.
local function slowly(value)
    return function()
        sleep(0.001)
        return value
    end
end
local object = setmetatable({}, {
    __index = slowly "index", __add = slowly "add", __concat = slowly "concat", __call = slowly "call",
    __lt = slowly(true), __eq = slowly(true), __unm = slowly "unm", __len = slowly(7),
})
assert(object.field == "index")
assert(object + 1 == "add" and object .. "x" == "concat" and object() == "call")
assert(object < 1 and -object == "unm" and #object == 7)
assert(object == setmetatable({}, getmetatable(object)))
local stored
local sink = setmetatable({}, { __newindex = function(_, key, value)
    sleep(0.001)
    stored = key .. value
end })
sink.a = "b"
assert(stored == "ab")
