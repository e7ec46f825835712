-- os.exit ends the run without waiting for threads.
-- expect-status: 7
Thread.detach(isolate(function() while true do end end))
os.exit(7)
