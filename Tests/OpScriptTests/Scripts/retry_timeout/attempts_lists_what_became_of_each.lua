-- arguments: --virtual
-- `attempts` has the attempts so far, each with its number, its outcome, its error and its duration.
local op = Operation {
    timeout = 5, retry = { attempts = 5, delay = 10 },
    main = function(self)
        sleep(self.attempt)
        if self.attempt == 1 then error "first" end
        if self.attempt == 2 then error { code = 7 } end
        if self.attempt == 3 then sleep(60) end
        assert(#self.attempts == 4 and self.attempts[4].duration == 4 and self.attempts[4].outcome == nil)
        return "done"
    end,
}
assert(#op.attempts == 0)
OperationQueue():addOperation(op)
sleep(5)
assert(op.state == "pending" and #op.attempts == 1)
op:waitUntilFinished()
local list = op.attempts
assert(#list == 4 and op.attempt == 4)
for number, attempt in ipairs(list) do assert(attempt.number == number) end
assert(list[1].outcome == "failed" and list[1].error.message:find "first" and list[1].duration == 1)
assert(list[2].error.code == 7 and list[2].duration == 2)
assert(list[3].error.code == "timeout" and list[3].duration == 5)
assert(list[4].outcome == "succeeded" and list[4].error == nil and list[4].duration == 4)
-- It is a copy.
list[1].number = "mine"
assert(op.attempts[1].number == 1 and op.attempts ~= op.attempts)

-- Cancelled within an attempt, and between two.
local within = Operation { retry = { attempts = 3 }, main = function() sleep(60) end }
local between = Operation { retry = { attempts = 3, delay = 60 }, main = function() error "no" end }
OperationQueue():addOperations { within, between }
sleep(2)
within:cancel()
between:cancel()
within:waitUntilFinished()
between:waitUntilFinished()
assert(#within.attempts == 1 and within.attempts[1].outcome == "cancelled" and within.attempts[1].duration == 2)
assert(#between.attempts == 1 and between.attempts[1].outcome == "failed")

-- Without a retry there is one, whose duration nothing keeps.
local plain = Operation { allowsFailure = true, main = function() error "once" end }
OperationQueue():addOperation(plain):waitUntilFinished()
assert(#plain.attempts == 1 and plain.attempts[1].error == plain.error and plain.attempts[1].duration == nil)
-- One that never started has none.
local skipped = Operation(function() end)
skipped:addDependency(plain)
OperationQueue():addOperation(skipped):waitUntilFinished()
assert(skipped.outcome == "skipped" and #skipped.attempts == 0)

-- The newest hundred are kept.
local many = Operation { retry = { attempts = 250 }, main = function(self)
    if self.attempt < 250 then error("no " .. self.attempt) end
end }
OperationQueue():addOperation(many):waitUntilFinished()
list = many.attempts
assert(#list == 100 and list[1].number == 151 and list[100].number == 250 and list[100].outcome == "succeeded")
assert(list[1].error.message:find "no 151$", list[1].error.message)
