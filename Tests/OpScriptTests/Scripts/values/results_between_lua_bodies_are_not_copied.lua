-- A result that goes from Lua to Lua is the same value: functions and tables too.
local value = { fn = function() return "called" end }
local op = Operation(function() return value, value.fn end)
local got, fn = await(op)
assert(rawequal(got, value) and fn() == "called" and rawequal(op.result, value))
