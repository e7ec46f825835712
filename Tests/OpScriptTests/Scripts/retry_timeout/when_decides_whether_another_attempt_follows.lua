-- `when` gets the error and the number of the attempt; false or nil makes the failure final.
local asked = {}
local op = Operation {
    name = "fetch", allowsFailure = true,
    retry = {
        attempts = 5,
        when = function(err, attempt)
            asked[#asked + 1] = attempt .. " " .. err.code .. " " .. err.message:match "[^ ]+$"
            return err.message:find "busy" ~= nil
        end,
    },
    main = function(self) error(self.attempt < 3 and "busy" or "gone") end,
}
OperationQueue():addOperation(op)
op:waitUntilFinished()
assert(op.outcome == "failed" and op.attempt == 3, op.attempt)
assert(op.error.message:find "gone$", op.error.message)
assert(table.concat(asked, ", ") == "1 failed busy, 2 failed busy, 3 failed gone", table.concat(asked, ", "))

local function attempts(retry, failures)
    local op = Operation {
        allowsFailure = true, retry = retry,
        main = function(self) if self.attempt <= failures then error { status = self.attempt } end return "there" end,
    }
    OperationQueue():addOperation(op)
    op:waitUntilFinished()
    return op.attempt, op.outcome, op
end
-- nil is as false; an error table comes as it is.
local count, outcome, op = attempts({ attempts = 9, when = function(err) if err.status < 2 then return true end end }, 9)
assert(count == 2 and outcome == "failed" and op.error.status == 2)
-- After the last attempt there is nothing to decide.
local calls = 0
count, outcome = attempts({ attempts = 2, when = function() calls = calls + 1 return true end }, 9)
assert(count == 2 and outcome == "failed" and calls == 1, calls)
-- Without a number, the function alone decides.
count, outcome, op = attempts({ when = function(_, attempt) return attempt < 20 end }, 9)
assert(count == 10 and outcome == "succeeded" and op.result == "there")
assert(op.retry.attempts == nil and type(op.retry.when) == "function")
count, outcome = attempts({ when = function(_, attempt) return attempt < 4 end }, 9)
assert(count == 4 and outcome == "failed")
