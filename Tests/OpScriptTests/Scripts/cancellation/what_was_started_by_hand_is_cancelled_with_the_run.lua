-- An uncaught error cancels everything, also operations that were started by hand: the hook is called, and the run ends.
-- expect-status: 1
-- expect-stdout: stopped
-- expect-stdout: told	cancelled
local loading = Operation { start = function() end, cancelled = function(op)
    print("stopped")
    op:finish()
end }
loading.completionBlock = function(op) print("told", op.outcome) end
loading:start()
sleep(0.01)
error("over")
