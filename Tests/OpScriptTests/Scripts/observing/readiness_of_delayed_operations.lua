-- Every transition is delivered once and in order: an operation that waits for its time is not ready.
local function transitions(operation)
    local seen = {}
    operation:observe("isReady", function(change) seen[#seen + 1] = tostring(change.old) .. ">" .. tostring(change.new) end)
    return seen
end

local queue = OperationQueue()
local operation = Operation(function() end)
local seen = transitions(operation)
queue:addOperation(operation, { after = 0.001 })
assert(not operation.isReady and operation.state == "pending")
operation:waitUntilFinished()
assert(table.concat(seen, " ") == "true>false false>true", table.concat(seen, " "))

operation = Operation(function() end)
seen = transitions(operation)
DispatchQueue { label = "serial" }:asyncAfter(0.001, operation)
assert(not operation.isReady)
operation:waitUntilFinished()
assert(table.concat(seen, " ") == "true>false false>true", table.concat(seen, " "))

-- The script changes the readiness several times between two waits.
operation = Operation(function() end)
local gate = Gate "gate"
operation:addDependency(gate)
queue:addOperation(operation)
seen = transitions(operation)
operation:removeDependency(gate)
operation:addDependency(gate)
assert(not operation.isReady)
sleep(0)
gate:finish()
operation:waitUntilFinished()
assert(table.concat(seen, " ") == "false>true true>false false>true", table.concat(seen, " "))
