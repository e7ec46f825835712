-- `retry` reads back as a table of its own: a change of that table, or of the one that was set, has no effect.
local given = { attempts = 2 }
local op = Operation { name = "a", main = function() error "again" end, retry = given, allowsFailure = true }
given.attempts = 5
op.retry.attempts = 7
local policy = op.retry
assert(policy.attempts == 2 and policy.delay == 0 and policy.backoff == "constant" and policy.jitter == 0)
assert(policy.maximumDelay == nil)
op.retry = { attempts = 2, delay = 0.25, backoff = "linear", maximumDelay = 0.5, jitter = 0.125 }
policy = op.retry
assert(policy.delay == 0.25 and policy.backoff == "linear" and policy.maximumDelay == 0.5 and policy.jitter == 0.125)
op.retry = { attempts = 2 }
pawait(op)
assert(op.attempt == 2)
