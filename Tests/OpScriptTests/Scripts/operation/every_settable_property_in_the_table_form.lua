-- The table form takes every settable property.
OperationQueue.setResource("printer", 1)
local other, info = Operation(function() end), { 1 }
local completed = Gate "completed"
local op = Operation {
    name = "all", queuePriority = "high", qualityOfService = "utility", threadPriority = 0.25,
    completionBlock = function() completed:finish() end, dependencies = { other }, timeout = 30,
    retry = { attempts = 2, delay = 0.5, backoff = "linear", maximumDelay = 3, jitter = 0.1 },
    resources = { printer = 1 }, allowsFailure = true, userInfo = info, main = function() return "ran" end,
}
assert(op.name == "all" and op.queuePriority == "high" and op.qualityOfService == "utility")
assert(op.threadPriority == 0.25 and op.completionBlock ~= nil and op.dependencies[1] == other)
assert(op.timeout == 30 and op.retry.attempts == 2 and op.retry.backoff == "linear")
assert(op.resources.printer == 1 and op.allowsFailure == true and op.userInfo == info)
assert(await(op) == "ran")
await(completed)
