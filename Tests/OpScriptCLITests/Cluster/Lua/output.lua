-- The output of a program and of an isolate on a node is shown here.
local way = ...
local q = OperationQueue { on = "slurm", pilots = way == "pilots" and {} or nil }
local step = work.process.run { "sh", "-c", "echo out; echo err >&2" }
step.name = "step"
q:addOperation(step)
await(step)
local op = isolate(function() print "printed by an isolate" end)()
q:addOperation(op)
await(op)
