-- `tostring(x)` shows kind, name and state, and no address.
local queue = OperationQueue { isSuspended = true }
local other = Gate "other"
local op = Operation { name = "resize cat", main = function() end, dependencies = { other } }
queue:addOperation(op)
local text = tostring(op)
assert(text:find("Operation", 1, true) and text:find("resize cat", 1, true), text)
assert(text:find("pending", 1, true) and not text:find("0x", 1, true), text)
other:finish()
queue.isSuspended = false
op:waitUntilFinished()
assert(tostring(op):find("resize cat", 1, true) and not tostring(op):find("pending", 1, true), tostring(op))
