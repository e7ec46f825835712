-- `DispatchQueue.main` is the same queue as `OperationQueue.main`.
-- expect-stdout: 1 2 3
local main = DispatchQueue.main
assert(main == OperationQueue.main and main.label == "com.apple.main-thread")
assert(DispatchQueue.current == main)
local log = {}
for i = 1, 2 do
    local op = Operation(function()
        assert(DispatchQueue.current == main and OperationQueue.current == main)
        log[#log + 1] = i
    end)
    op.queuePriority = i == 2 and "veryHigh" or "low"
    main:async(op)
end
main:addOperation(function() log[#log + 1] = 3 end)
main:waitUntilAllOperationsAreFinished()
print(table.concat(log, " "))
assert(not pcall(main.suspend, main))
