-- Declares an output, by the absolute path of the folder in arg[1], after an operation has begun to read it.
local count = work.process.shell("while ! test -e go; do sleep 0.01; done; wc -c < upper.txt")
count.name, count.inputs = "count", { "upper.txt" }
OperationQueue.default:addOperation(count)
count:observe("isExecuting", function() end)
while not count.isExecuting do sleep(0.001) end
local upper = work.process.shell("echo A > upper.txt")
upper.name = "upper"
print(pcall(function() upper.outputs = { arg[1] .. "/upper.txt" } end))
io.open("go", "w"):close()
count:waitUntilFinished()
-- It has ended, so the order is clear.
upper.outputs = { "upper.txt" }
