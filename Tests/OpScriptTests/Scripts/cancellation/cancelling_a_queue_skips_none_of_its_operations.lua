-- `cancelAllOperations` cancels all operations at once: none is skipped because another one of them was cancelled.
for _, condition in ipairs { "failed", "succeeded", "notFailed", "finished" } do
    local queue = OperationQueue()
    local first, second = Operation(function() end), Operation(function() end)
    second:addDependency(first, condition)
    queue:addOperations { first, second }
    queue:cancelAllOperations()
    assert(first.isCancelled and second.isCancelled, condition)
    queue:waitUntilAllOperationsAreFinished()
    assert(first.outcome == "cancelled" and second.outcome == "cancelled", condition .. ": " .. second.outcome)
end
