-- Where Slurm's programs are not found.
local op = work.process.run { "true" }
OperationQueue { on = "slurm" }:addOperation(op)
print(pawait(op))
