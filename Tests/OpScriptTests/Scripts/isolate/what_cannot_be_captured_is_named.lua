-- A variable that cannot be copied is an error that names it, with the path to it.
local function refused(fn, pattern)
    local ok, message = pcall(isolate, fn)
    assert(not ok, "not refused: " .. pattern)
    assert(message:find(pattern, 1, true), tostring(message))
    assert(message.code == "argument", message.code)
end
local queue = OperationQueue()
local options = { inner = { queue = queue } }
local list = { 1, { queue } }
local thread = coroutine.create(print)
local operation, timer, w, wait, file = Gate "g", Timer.cron("* * * * *", print), work, sleep, io.stdout
timer:invalidate()
local function helper() return queue end
local indexed = setmetatable({}, { __index = queue })

refused(function() return queue end, "upvalue 'queue' is an OperationQueue, which cannot leave the script thread")
local dispatch = DispatchQueue "d"
refused(function() return dispatch end, "upvalue 'dispatch' is a DispatchQueue, which cannot leave the script thread")
refused(function() return options end, "upvalue 'options.inner.queue' is an OperationQueue")
refused(function() return list end, "upvalue 'list[2][1]' is an OperationQueue")
refused(function() return thread end, "upvalue 'thread' is a coroutine")
refused(function() return operation end, "upvalue 'operation' is an operation")
refused(function() return timer end, "upvalue 'timer' is a Timer")
refused(function() return w end, "upvalue 'w' is a work")
refused(function() return wait end, "upvalue 'wait' is a native function")
refused(function() return file end, "upvalue 'file' is a FILE*")
refused(function() return helper() end, "upvalue 'queue' of 'helper' is an OperationQueue")
refused(function() return indexed end, "upvalue 'indexed.(metatable).__index' is an OperationQueue")
