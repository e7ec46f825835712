-- A completion block that fails among many ends the run, once; those after it are called all the same.
-- expect-status: 1
-- expect-stderr: one_of_which_fails.lua:12: the fifth is wrong
-- expect-stdout: called	20
local queue, called = OperationQueue { isSuspended = true }, 0
for i = 1, 20 do
    local op = work.compute.primes(i)
    op.completionBlock = function()
        called = called + 1
        if called == 20 then print("called", called) end
        if i == 5 then
            error("the fifth is wrong")
        end
    end
    queue:addOperation(op)
end
queue.isSuspended = false
queue:waitUntilAllOperationsAreFinished()
