-- `sleep(0)` goes to the end: everything pending is delivered before it returns.
local queue = OperationQueue()
local ran = false
queue:addOperation(function() ran = true end)
assert(not ran, "the body ran before the script waited")
sleep(0)
assert(ran, "sleep(0) returned before a pending body had run")
