-- The build of differential.lua: graph.lua has its steps.
local steps = dofile "graph.lua"
local queue = OperationQueue()
local byName = {}
for _, step in ipairs(steps) do
    local op = work.process.run(step.command)
    op.name, op.inputs, op.outputs, op.depfile = step.name, step.inputs, step.outputs, step.outputs[1] .. ".d"
    for _, name in ipairs(step.after) do op:addDependency(byName[name]) end
    byName[step.name] = op
end
-- In another order than that of the build.
for i = #steps, 1, -1 do queue:addOperation(byName[steps[i].name]) end
queue:waitUntilAllOperationsAreFinished()
