-- Dropping the last reference to a queue with unfinished blocks does not stop it; its finalizer waits for them.
-- expect-stdout: block
-- expect-stdout: finalizer
do
    local queue = DispatchQueue "q"
    queue.context = "c"
    queue:setFinalizer(function() print "finalizer" end)
    queue:asyncAfter(0.02, function() print "block" end)
end
collectgarbage()
collectgarbage()
sleep(0.05)
collectgarbage()
collectgarbage()
