-- One body, which writes where it runs; its end is printed.
local op = work.process.run { "sh", "-c", "echo $SLURMD_NODENAME $SLURM_RESTART_COUNT >> where; sleep 3; echo ok" }
OperationQueue { on = "slurm" }:addOperation(op)
local ok, result = pawait(op)
io.write(ok and result.output or tostring(result))
