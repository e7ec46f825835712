-- `addDependency` after `op` started: an error.
local other, gate, started = Operation(function() end), Gate "gate", Gate "started"
local op = Operation { name = "started", main = function(self)
    assert(not pcall(function() self:addDependency(other) end), "accepted by its own body")
    started:finish()
    await(gate)
end }
OperationQueue():addOperation(op)
await(started)
local ok, err = pcall(function() op:addDependency(other) end)
assert(not ok and tostring(err):find("started", 1, true), tostring(err))
assert(#op.dependencies == 0 and op.isReady)
gate:finish()
op:waitUntilFinished()
assert(not pcall(function() op:addDependency(other) end), "accepted after the end")
await(other)
