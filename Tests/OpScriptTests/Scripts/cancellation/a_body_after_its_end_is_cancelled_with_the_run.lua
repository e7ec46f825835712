-- A body that continues after it has ended its operation is cancelled with the run.
-- arguments: --virtual
-- expect-status: 1
-- expect-stdout: false	cancelled
Operation { start = function(operation)
    operation:finish(1)
    local ok, problem = pcall(sleep, 3600)
    print(ok, problem.code)
end }:start()
sleep(0.01)
error("over")
