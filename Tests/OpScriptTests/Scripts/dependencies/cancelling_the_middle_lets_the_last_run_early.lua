-- Cancelling X in A <- X <- Y lets Y run before A, since Y depends on X alone.
local gate, log = Gate "gate", {}
local a = Operation { name = "a", main = function()
    await(gate)
    log[#log + 1] = "a"
end }
local x = Operation { name = "x", main = function() log[#log + 1] = "x" end }
local y = Operation { name = "y", main = function() log[#log + 1] = "y" end }
x:addDependency(a)
y:addDependency(x)
OperationQueue():addOperations { a, x, y }
sleep(0)
x:cancel()
y:waitUntilFinished()
assert(x.outcome == "cancelled" and not a.isFinished)
gate:finish()
a:waitUntilFinished()
assert(table.concat(log, " ") == "y a", table.concat(log, " "))
