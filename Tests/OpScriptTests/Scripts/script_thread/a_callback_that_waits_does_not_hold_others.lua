-- A callback that waits is interrupted there, and others run.
local gate, log = Gate "gate", {}
local first, second = Operation(function() end), Operation(function() end)
first.completionBlock = function()
    log[#log + 1] = "first begins"
    await(gate)
    log[#log + 1] = "first ends"
end
second.completionBlock = function()
    log[#log + 1] = "second"
    gate:finish()
end
second:addDependency(first)
OperationQueue():addOperations({ first, second }, true)
sleep(0)
assert(table.concat(log, ", ") == "first begins, second, first ends", table.concat(log, ", "))
