-- An error of an isolate has the place where it was raised inside, and the place where the isolate was called.
local function inner(t) return t.x.y end
local run = isolate(function(t) return (inner(t)) end)
local operation = run({})
local ok, message = pawait(operation)
assert(not ok and message.code == "failed")
assert(message:find("errors_tell_both_places.lua:2: attempt to index a nil value (field 'x')", 1, true), tostring(message))
assert(message.traceback:find("errors_tell_both_places.lua:2: in upvalue 'inner'", 1, true), message.traceback)
assert(message.traceback:find("called from:\n\t[^\n]*errors_tell_both_places.lua:4: in main chunk"), message.traceback)
assert(message.createdAt:find("errors_tell_both_places.lua:4", 1, true))

local ok, raised = pawait(isolate(function() error { kind = "mine", list = { 1 } } end)())
assert(not ok and raised.kind == "mine" and raised.list[1] == 1)
local failed = isolate(function() error { kind = "mine" } end)()
failed.allowsFailure = true
OperationQueue.default:addOperation(failed):waitUntilFinished()
assert(failed.traceback:find("errors_tell_both_places.lua:14", 1, true), failed.traceback)
