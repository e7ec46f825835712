-- An isolate that returns a value which cannot leave it fails, and the error has the place.
local ok, message = pawait(isolate(function() return 1, { f = print } end)())
assert(not ok and message.code == "argument", message.code)
assert(message:find("results_that_cannot_leave.lua:2: bad result #2 of an isolate "
    .. "(field 'f': a function cannot leave an isolate)", 1, true), tostring(message))
local ok, message = pawait(isolate(function() return coroutine.create(print) end)())
assert(not ok and message:find("a coroutine cannot leave an isolate", 1, true))
