-- Exit status 3: also an operation that was started by hand, and that nothing is left to end.
-- expect-status: 3
-- expect-stderr: 'loading' %(.*can never end: 'loading' has started, and nothing is left that could finish it
Operation { name = "loading", start = function() end }:start()
