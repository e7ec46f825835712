-- Twenty bodies that do not end; a file says that some of them run.
local q = OperationQueue { on = "slurm" }
for _ = 1, 20 do q:addOperation(work.process.run { "sh", "-c", "touch there; sleep 300" }) end
