-- A name that a type does not have is an error that names the type, and the nearest name.
local types = {
    Operation = Operation, BlockOperation = BlockOperation, InvocationOperation = InvocationOperation,
    GroupOperation = GroupOperation, Gate = Gate, OperationQueue = OperationQueue, Timer = Timer, Thread = Thread,
    Progress = Progress, DispatchQueue = DispatchQueue, DispatchGroup = DispatchGroup,
    DispatchSemaphore = DispatchSemaphore, DispatchWorkItem = DispatchWorkItem, DispatchSource = DispatchSource,
}
for name, type in pairs(types) do
    local ok, problem = pcall(function() return type.foo end)
    assert(not ok and tostring(problem):find(name, 1, true) and tostring(problem):find("foo", 1, true),
        name .. ": " .. tostring(problem))
end
local ok, problem = pcall(function() return Timer.scheduleTimer end)
assert(not ok and tostring(problem):find("scheduledTimer", 1, true), problem)
