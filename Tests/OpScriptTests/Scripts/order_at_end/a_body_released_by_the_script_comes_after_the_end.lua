-- The steps of an end keep their order when the script itself ends the operation, whatever its queue got to do just before.
-- expect-stdout: observer
-- expect-stdout: block
-- expect-stdout: waiter
-- expect-stdout: body
-- expect-stdout: --
-- expect-stdout: block
-- expect-stdout: body
local queue = OperationQueue()
local gate = Gate "gate"
gate.completionBlock = function() print "block" end
gate:observe("isFinished", function() print "observer" end)
async(function()
    gate:waitUntilFinished()
    print "waiter"
end)
sleep(0)
local body = Operation(function() print "body" end)
body:addDependency(gate)
queue:addOperation(body)
queue:addOperation(function() end)
gate:finish()
assert(body.isReady, "what the script does itself is visible at once")
queue:addOperation(function() end)
await(body)

print "--"
local asked = Operation { start = function() end }
asked.completionBlock = function() print "block" end
local other = Operation(function() print "body" end)
other:addDependency(asked, "failed")
asked.allowsFailure = true
queue:addOperations { asked, other }
sleep(0)
queue:addOperation(function() end)
asked:fail("on purpose")
await(other)
