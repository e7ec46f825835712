-- A function that returns early when it has to stop: because of its script, its time limit, that of the run, or a signal.
local recording, way = ...
local count = Operation {
    name = "count",
    recording = recording,
    main = function()
        local log <close> = io.open("log", "a")
        log:write("ran\n")
        log:flush()
        if not way then return "whole" end
        if way == "TERM" then os.execute("kill -TERM $PPID") end
        return pcall(sleep, 60) and "whole" or "part"
    end,
}
if way == "timeout" then count.timeout = 0.1 end
OperationQueue.default:addOperation(count)
if way == "cancel" then
    sleep(0.01)
    count:cancel()
end
count:waitUntilFinished()
if way then
    print "part"
    error("stopped", 0)
end
print(count.outcome, count.result, count.isRecorded)
