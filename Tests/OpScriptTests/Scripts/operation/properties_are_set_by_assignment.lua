-- Each property of the table form can be set by assignment before the start.
OperationQueue.setResource("scanner", 1)
local op = Operation(function() return "ran" end)
op.name = "renamed"
op.queuePriority = "veryLow"
op.qualityOfService = "background"
op.threadPriority = 1.0
op.timeout = 20
op.retry = { attempts = 2 }
op.resources = { scanner = 1 }
op.allowsFailure = true
op.userInfo = "anything"
assert(op.name == "renamed" and op.queuePriority == "veryLow" and op.qualityOfService == "background")
assert(op.threadPriority == 1.0 and op.timeout == 20 and op.retry.attempts == 2 and op.resources.scanner == 1)
assert(op.allowsFailure == true and op.userInfo == "anything")
assert(await(op) == "ran")
