-- A job that kills the command after the step whose number it gets.
local queue = OperationQueue { maxConcurrentOperationCount = 1 }
local results = {}
for i = 1, 5 do
    local step = work.process.shell(("echo %d >> log; echo %d"):format(i, i * i))
    step.name = "step" .. i
    queue:addOperation(step)
    results[i] = await(step).output:sub(1, -2) .. (step.isRecorded and "r" or "")
    if arg[1] == tostring(i) then os.execute("kill -9 $PPID") end
end
print(table.concat(results, " "))
