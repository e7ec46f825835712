-- Eight steps, each of which writes when it begins and ends; the last one is an effect.
local q = OperationQueue { on = "slurm" }
local ops = {}
for i = 1, 8 do
    ops[i] = work.process.run { "sh", "-c", ("echo start %d >> log; sleep 2; echo end %d >> log"):format(i, i) }
    ops[i].name = "step" .. i
    if i == 8 then ops[i].recording = "once" end
end
q:addOperations(ops, true)
for _, op in ipairs(ops) do assert(op.outcome == "succeeded", op.error) end
print "all"
