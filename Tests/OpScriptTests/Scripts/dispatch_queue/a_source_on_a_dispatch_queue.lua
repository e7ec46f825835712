-- A source takes a dispatch queue, on which its handlers run, and has a context and a finalizer.
-- expect-stdout: 3
-- expect-stdout: finalized	context
do
    local queue = DispatchQueue "events"
    local source = DispatchSource.userDataAdd(queue)
    source.context = "context"
    assert(source.context == "context")
    source:setFinalizer(function(context) print("finalized", context) end)
    source:setEventHandler(function()
        assert(DispatchQueue.current == queue)
        print(source.data)
        source:cancel()
    end)
    source:activate()
    source:mergeData(1)
    source:mergeData(2)
    sleep(0.01)
end
for _ = 1, 5 do
    sleep(0)
    collectgarbage()
end
