-- A dependency on an operation that failed before is decided like any other.
local bad = Operation { name = "bad", allowsFailure = true, main = function() error("x") end }
OperationQueue():addOperations({ bad }, true)
local strict, tolerant = Operation(function() end), Operation(function() end)
strict:addDependency(bad)
tolerant:addDependency(bad, "failed")
OperationQueue():addOperations({ strict, tolerant }, true)
assert(strict.outcome == "skipped" and strict.error.message:find("bad", 1, true))
assert(tolerant.outcome == "succeeded")
