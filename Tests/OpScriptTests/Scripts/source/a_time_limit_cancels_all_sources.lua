-- Cancelling the run cancels all sources, including suspended ones; their cancel handlers run.
-- arguments: --timeout 1
-- expect-status: 124
-- expect-stdout: over	true
-- expect-stdout: over	true
for _, isSuspended in ipairs { false, true } do
    local source = DispatchSource.signal("SIGUSR1")
    source:setEventHandler(function() end)
    source:setCancelHandler(function() print("over", source.isCancelled) end)
    source:activate()
    if isSuspended then source:suspend() end
end
