-- arguments: --virtual
-- While `when` waits, the operation executes and keeps its slot; between the attempts it does not. Moments are exact.
local queue = OperationQueue { maxConcurrentOperationCount = 1 }
local begins = {}
local op = Operation {
    name = "first", allowsFailure = true,
    retry = { attempts = 3, delay = 10, when = function(err)
        assert(err.code == "failed")
        sleep(2)
        return true
    end },
    main = function() begins[#begins + 1] = clock.now() error "again" end,
}
local other = Operation(function() begins.other = clock.now() end)
queue:addOperations { op, other }
sleep(1)
assert(op.state == "executing" and other.state == "ready" and queue.operationCount == 2)
sleep(2)
assert(op.state == "pending" and other.isFinished and begins.other - begins[1] == 2, begins.other)
queue:waitUntilAllOperationsAreFinished()
assert(op.attempt == 3 and begins[2] - begins[1] == 12 and begins[3] - begins[2] == 12)

-- A time limit is a failure of the attempt; the waits of `when` do not belong to it.
local slow = Operation {
    timeout = 1, allowsFailure = true, main = function() sleep(60) end,
    retry = { when = function(err, attempt) sleep(5) return err.code == "timeout" and attempt < 2 end },
}
local start = clock.now()
queue:addOperation(slow)
slow:waitUntilFinished()
assert(slow.attempt == 2 and slow.error.code == "timeout" and clock.now() - start == 12, clock.now() - start)

-- A cancellation meanwhile ends it when the function has returned.
local cancelled = Operation {
    main = function() error "no" end,
    retry = { attempts = 3, when = function() sleep(5) return true end },
}
start = clock.now()
queue:addOperation(cancelled)
sleep(1)
cancelled:cancel()
cancelled:waitUntilFinished()
assert(cancelled.outcome == "cancelled" and cancelled.attempt == 1 and clock.now() - start == 5)

-- An asynchronous one: a late end of the failed attempt has no effect.
local late
local async = Operation {
    allowsFailure = true, retry = { attempts = 2, when = function() sleep(1) return false end },
    start = function(self) late = self self:fail "over" end,
}
queue:addOperation(async)
sleep(0.5)
late:finish "too late"
async:waitUntilFinished()
assert(async.outcome == "failed" and async.error.message:find "over", async.outcome)
