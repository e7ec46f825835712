-- A job that is cancelled from outside of its run.
local op = work.process.run { "sleep", "300" }
OperationQueue { on = "slurm" }:addOperation(op)
while not (op.progress.localizedDescription or ""):find "^on " do sleep(0.05) end
os.execute "scancel --user=$(id -u)"
print(pawait(op))
