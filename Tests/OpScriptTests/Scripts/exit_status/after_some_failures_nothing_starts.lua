-- With --max-failures, no more operations are started after that many failures.
-- arguments: --virtual --max-failures 3
-- expect-status: 1
-- expect-stderr: 3 operations have failed: no more operations are started
-- expect-stdout: failed	failed	failed	cancelled	cancelled
local queue, list = OperationQueue { maxConcurrentOperationCount = 1 }, {}
for number = 1, 5 do
    list[number] = queue:addOperation(function() sleep(1) error("bad " .. number) end)
    if number > 1 then list[number]:addDependency(list[number - 1], "finished") end
end
queue:waitUntilAllOperationsAreFinished()
for number = 1, 5 do list[number] = list[number].outcome end
print(table.unpack(list))
