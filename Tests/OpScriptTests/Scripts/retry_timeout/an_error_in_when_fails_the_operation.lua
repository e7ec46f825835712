-- An error in `when` fails the operation, and the error of the attempt is kept.
local op = Operation {
    name = "fetch", allowsFailure = true,
    retry = { attempts = 3, when = function(err) return err.status > 400 end },
    main = function() error("the line is busy", 0) end,
}
OperationQueue():addOperation(op)
op:waitUntilFinished()
assert(op.outcome == "failed" and op.attempt == 1)
local text = op.error.message
assert(text:find("the function 'when' of 'retry' failed: ", 1, true) == 1, text)
assert(text:find("attempt to compare", 1, true) and text:find("(attempt 1 had failed: the line is busy)", 1, true), text)
assert(op.error.underlying.message == "the line is busy" and op.error.operation == op)
assert(op.error.traceback:find "an_error_in_when")

-- The same for a time limit and for a work.
local slow = Operation {
    timeout = 0.01, allowsFailure = true, retry = { attempts = 3, when = function() error("no idea", 0) end },
    main = function() sleep(60) end,
}
local read = work.file.read "/nowhere"
read.allowsFailure, read.retry = true, { attempts = 3, when = function() error "no idea" end }
local queue = OperationQueue()
queue:addOperations({ slow, read }, true)
assert(slow.error.message:find "no idea" and slow.error.underlying.code == "timeout", slow.error.message)
assert(read.error.message:find "no idea" and read.error.underlying.message:find "no such file", read.error.message)
