-- Threads keep the run alive until they end, also without a join.
-- expect-stdout: main chunk has ended
-- expect-stdout: thread has ended
local gate = Thread.detach(isolate(function(path)
    local until_ = os.clock() + 0.02
    while os.clock() < until_ do end
    print("thread has ended")
end))
print("main chunk has ended")
