-- Inputs and outputs that are set in any order.
local reader = work.process.shell("cat ./made/*.txt")
reader.inputs, reader.outputs = { "made/*.txt", "list" }, {}
local one, list = work.process.shell("echo one > made/one.txt"), work.process.shell("echo > list")
one.outputs, list.outputs = { "./made/one.txt" }, { "list" }
print(#reader.dependencies)
os.execute("mkdir made")
OperationQueue.default:addOperations { reader, one, list }
io.write(await(reader).output)
local again = work.process.shell("true")
print(select(2, pcall(function() again.outputs = { "made/../list" } end)))
one.inputs = nil
