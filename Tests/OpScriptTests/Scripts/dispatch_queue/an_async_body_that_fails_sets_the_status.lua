-- An error in an `async` body is that of a failing operation: named with its place, status 1.
-- expect-status: 1
-- expect-stderr: failed: 'operation' %(.*an_async_body_that_fails_sets_the_status.lua:4%)
DispatchQueue "q":async(
    function() error("boom") end)
