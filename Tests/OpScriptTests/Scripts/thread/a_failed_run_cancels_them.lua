-- An uncaught error ends the run, and cancels its threads.
-- expect-status: 1
-- expect-stderr: the end
Thread.detach(isolate(function() while true do end end))
Thread.detach("sleep", 1000)
error "the end"
