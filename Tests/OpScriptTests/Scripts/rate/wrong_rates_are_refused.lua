-- A wrong rate raises an error that names the value and what it should be.
local function refused(options, ...)
    local ok, err = pcall(OperationQueue, options)
    assert(not ok, "accepted")
    for _, part in ipairs { ... } do assert(tostring(err):find(part, 1, true), tostring(err)) end
end
refused({ rate = {} }, "bad value for 'rate'", "the number of starts is missing", "{ 10, per = 1 }")
refused({ rate = { per = 1 } }, "the number of starts is missing")
refused({ rate = 10 }, "bad value for 'rate' (table such as { 10, per = 1 } expected, got number)")
refused({ rate = { 0 } }, "at least 1 start expected, got 0", "isSuspended")
refused({ rate = { -3 } }, "at least 1 start expected, got -3")
refused({ rate = { 1.5 } }, "integer expected at its beginning, got 1.5")
refused({ rate = { "10" } }, "integer expected at its beginning, got string")
refused({ rate = { 10, 20 } }, "one number expected, got 2 values")
refused({ rate = { 10, per = -1 } }, "bad value for 'per' (a finite number of seconds above 0 expected, got -1)")
refused({ rate = { 10, per = 0 } }, "bad value for 'per'", "got 0")
refused({ rate = { 10, per = math.huge } }, "bad value for 'per'")
refused({ rate = { 10, per = "1" } }, "bad value for 'per' (number expected, got string)")
refused({ rate = { 10, key = "host" } }, "bad value for 'key' (function expected, got string)")
refused({ rate = { 10, pre = 1 } }, "rate has no option 'pre'", "'per'")
refused({ widthPerKey = 2 }, "'widthPerKey' of the queue 'queue' needs keys", "rate = { key = function(op)")
refused({ rate = { 10 }, widthPerKey = 2 }, "needs keys")
refused({ rate = { 10, key = print }, widthPerKey = 0 }, "bad value for 'widthPerKey' (at least 1 expected, got 0)")

-- It cannot change while operations wait.
local queue = OperationQueue { name = "net", isSuspended = true, rate = { 10, key = function() end }, widthPerKey = 1 }
queue:addOperation(function() end)
local ok, err = pcall(function() queue.rate = { 20 } end)
assert(not ok and tostring(err):find("'rate' of the queue 'net' cannot be changed while operations are in it", 1, true), err)
ok, err = pcall(function() queue.widthPerKey = 3 end)
assert(not ok and tostring(err):find("'widthPerKey' of the queue 'net' cannot be changed while", 1, true), err)
queue.isSuspended = false
queue:waitUntilAllOperationsAreFinished()
ok, err = pcall(function() queue.rate = { 20 } end)
assert(not ok and tostring(err):find("set it to nil before the rate loses its key", 1, true), err)
queue.widthPerKey = nil
queue.rate = { 20 }
assert(queue.rate[1] == 20)

ok, err = pcall(function() OperationQueue.main.rate = { 1 } end)
assert(not ok and tostring(err):find("'rate' of the queue 'main' cannot be changed", 1, true), err)
