-- Hundreds of bodies that wait for their own queue, and a long chain that never starts, are diagnosed without delay.
-- expect-status: 3
-- expect-stdout: 600
-- expect-stderr: 'e2000' %(.*can never run: 'e1' waits for the gate 'root', which nothing is left to end: 'e2000' depends on 'e1999'
local queue, ended = OperationQueue(), 0
for i = 1, 600 do
    queue:addOperation(function()
        local ok, problem = pcall(queue.waitUntilAllOperationsAreFinished, queue)
        if not ok and problem.code == "deadlock" then ended = ended + 1 end
    end)
end
queue:waitUntilAllOperationsAreFinished()
print(ended)
local last = Gate "root"
for i = 1, 2000 do
    local op = Operation { name = "e" .. i, main = function() end, dependencies = { last } }
    queue:addOperation(op)
    last = op
end
