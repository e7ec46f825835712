-- With the default `when`, "notFailed", an operation whose dependency failed is skipped.
local ran = false
local broken = Operation { name = "broken", allowsFailure = true, main = function() error("no power") end }
local after = Operation { name = "after", main = function() ran = true end }
after:addDependency(broken)
local queue = OperationQueue()
queue:addOperations({ broken, after }, true)
assert(broken.outcome == "failed")
assert(after.outcome == "skipped" and after.isFinished and not ran)
assert(after.result == nil and after.error.code == "skipped")
assert(after.error.message:find("broken", 1, true), after.error.message)
