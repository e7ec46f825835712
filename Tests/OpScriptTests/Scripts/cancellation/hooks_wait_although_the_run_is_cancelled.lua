-- The `cancelled` hook and the cancel handler of a source are cleanup: they may wait, even if the whole run is cancelled.
-- expect-status: 1
-- expect-stderr: on purpose
-- expect-stdout: source	true
-- expect-stdout: hook	true
-- expect-stdout: block	cancelled
local operation = Operation {
    start = function() end,
    cancelled = function(op)
        print("hook", pcall(sleep, 0.02))
        op:finish()
    end,
}
operation.completionBlock = function(op) print("block", op.outcome) end
OperationQueue():addOperation(operation)
local source = DispatchSource.userDataAdd()
source:setEventHandler(function() end)
source:setCancelHandler(function() print("source", pcall(sleep, 0.01)) end)
source:activate()
sleep(0)
error "on purpose"
