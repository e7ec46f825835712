-- `os.exit` ends the run at once: no other observer, completion block, waiter or block is called.
-- expect-status: 4
-- expect-stdout: first observer
local operation = BlockOperation(function() end)
operation:observe("isFinished", function() print "first observer" os.exit(4) end)
operation:observe("isFinished", function() print "second observer" end)
operation.completionBlock = function() print "completion block" end
async(function() await(operation) print "waiter" end)
await(operation)
print "main chunk"
