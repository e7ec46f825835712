-- Only the end of an operation counts: an attempt that failed and was repeated with success sets no status.
-- expect-status: 0
local op = Operation { retry = { attempts = 2, delay = 0 }, main = function(self)
    if self.attempt == 1 then error("again") end
end }
OperationQueue():addOperation(op)
op:waitUntilFinished()
assert(op.outcome == "succeeded")
