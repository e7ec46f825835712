-- An operation that is tried again has not finished: dependents, completion block and waiters wait.
local completions = 0
local op = Operation { retry = { attempts = 3, delay = 0.001 }, main = function(self)
    if self.attempt < 3 then error("again") end
    return "third"
end }
op.completionBlock = function() completions = completions + 1 end
local after = Operation(function() return op.result end)
after:addDependency(op)
OperationQueue():addOperations({ op, after }, true)
assert(after.result == "third" and completions == 1)
