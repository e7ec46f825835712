-- A signal source counts deliveries; names with and without SIG, and numbers, mean the same.
-- process: own
-- expect-stdout: usr1	1	10
-- expect-stdout: number	1	10
-- expect-stdout: short	1	10
local done = Gate "all told"
local left = 3
for _, item in ipairs { { "usr1", "SIGUSR1" }, { "number", 10 }, { "short", "USR1" } } do
    local source = DispatchSource.signal(item[2])
    source:setEventHandler(function()
        print(item[1], source.data, source.handle)
        source:cancel()
        left = left - 1
        if left == 0 then done:finish() end
    end)
    source:activate()
end
await(work.process.shell("kill -USR1 $PPID"))
await(done)
