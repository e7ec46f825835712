-- A run that fails at its end, after steps that depend on each other.
local function step(name)
    local op = work.process.shell("echo " .. name)
    op.name = name
    return op
end
local a, b, c, d = step "a", step "b", step "c", step "d"
b:addDependency(a)
local middle = Operation { name = "middle", main = function() end, dependencies = { b } }
c:addDependency(middle)
local queue = OperationQueue()
queue:addOperations { a, b, middle, c, d }
queue:waitUntilAllOperationsAreFinished()
for _, op in ipairs { a, b, c, d } do io.write(op.name, op.isRecorded and "r " or " ") end
print()
error(0)
