-- Bodies that waited at the same time leave garbage behind, which never takes much more memory than the coroutines in use.
local most = 0
for _ = 1, 30 do
    local queue = OperationQueue()
    for _ = 1, 2000 do queue:addOperation(function() sleep(0) end) end
    queue:waitUntilAllOperationsAreFinished()
    most = math.max(most, collectgarbage "count")
end
-- One round takes some 2.5 MiB, all together would take 75.
assert(most < 16 * 1024, most .. " KiB")
collectgarbage()
collectgarbage()
assert(collectgarbage "count" < 2 * 1024, collectgarbage "count" .. " KiB")
