-- Cancelling a group cancels the operations inside.
local started, ran = Gate "started", false
local first = Operation(function()
    started:finish()
    sleep(60)
end)
local second = Operation(function() ran = true end)
second:addDependency(first)
local group = GroupOperation { first, second }
OperationQueue():addOperation(group)
await(started)
group:cancel()
group:waitUntilFinished()
assert(group.outcome == "cancelled" and first.outcome == "cancelled" and second.outcome == "cancelled")
assert(not ran)
