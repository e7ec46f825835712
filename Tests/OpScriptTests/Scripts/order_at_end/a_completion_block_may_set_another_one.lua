-- A completion block that is set after the end is called, even if the completion block itself sets it.
local called = 0
local operation = Operation(function() end)
operation.completionBlock = function(operation)
    called = called + 1
    if called < 3 then operation.completionBlock = function() called = called + 1 end end
end
OperationQueue():addOperation(operation)
operation:waitUntilFinished()
sleep(0)
sleep(0)
assert(called == 2, called)
