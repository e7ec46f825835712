-- An error of an asynchronous operation's `start` after it has ended by `finish` or `fail` is ignored.
local queue = OperationQueue()
local finished = Operation {
    start = function(op)
        op:finish(42)
        error "late"
    end,
}
local failed = Operation {
    start = function(op)
        op:fail "early"
        error "late"
    end,
}
failed.allowsFailure = true
queue:addOperations { finished, failed }
local ok, result = pawait(finished)
assert(ok and result == 42, tostring(result))
assert(finished.outcome == "succeeded" and finished.result == 42 and finished.error == nil)
local ok, reason = pawait(failed)
assert(not ok and tostring(reason):find "early", tostring(reason))
assert(failed.outcome == "failed" and tostring(failed.error):find "early")
