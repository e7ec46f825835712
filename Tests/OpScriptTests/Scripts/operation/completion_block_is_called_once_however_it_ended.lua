-- `completionBlock` is called once, when it has finished with any outcome.
local calls = {}
local function note(op) calls[op.name] = (calls[op.name] or "") .. op.outcome end
local good = Operation { name = "good", completionBlock = note, main = function() end }
local bad = Operation { name = "bad", completionBlock = note, main = function() error("x") end }
bad.allowsFailure = true
local gone = Operation { name = "gone", completionBlock = note, main = function() end }
local idle = Operation { name = "idle", completionBlock = note, main = function() end }
idle:addDependency(bad)
gone:cancel()
OperationQueue():addOperations({ good, bad, gone, idle }, true)
sleep(0)
assert(calls.good == "succeeded" and calls.bad == "failed" and calls.gone == "cancelled")
assert(calls.idle == "skipped")
