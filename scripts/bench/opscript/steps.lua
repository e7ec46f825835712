-- steps.lua N FOLDER: a build of N steps like those of a C project, which ninja does from FOLDER/N.ninja. It prints how many
-- steps have run.
local n, folder = math.tointeger(arg[1]), arg[2]
local queue = OperationQueue { maxConcurrentOperationCount = 2 }
local run = work.process.run
local steps = {}
for i = 1, n do
    local source, object = ("%s/%d.c"):format(folder, i), ("%s/%d.o"):format(folder, i)
    local step = run { "sh", folder .. "/step.sh", source, object, ("%s/%d.h"):format(folder, i % 100) }
    step.inputs, step.outputs, step.depfile = { source }, { object }, object .. ".d"
    steps[i] = step
    queue:addOperation(step)
end
queue:waitUntilAllOperationsAreFinished()
local count = 0
for _, step in ipairs(steps) do
    if not step.isUpToDate then count = count + 1 end
end
print("steps run: " .. count)
