-- A group that a failure will skip, which the script does not see yet, can be cancelled, and then all inside is cancelled at once.
local cancellers = {
    operation = function(root) root:cancel() end,
    queue = function(_, queue) queue:cancelAllOperations() end,
}
local wraps = {
    group = function(member) return GroupOperation { member } end,
    nested = function(member) return GroupOperation { GroupOperation { member } } end,
}
local unseen = 0
for wrapName, wrap in pairs(wraps) do
    for cancelName, cancel in pairs(cancellers) do
        for _, isAddedBefore in ipairs { true, false } do
            for _, isSuspended in ipairs { true, false } do
                local name = table.concat({ wrapName, cancelName, tostring(isAddedBefore), tostring(isSuspended) }, " ")
                local failure, member = work.file.read("no such file"), work.sleep(0.001)
                local root, queue = wrap(member), OperationQueue { isSuspended = isSuspended }
                failure.allowsFailure = true
                root:addDependency(failure)
                OperationQueue.default:addOperation(failure)
                if isAddedBefore then queue:addOperation(root) end
                -- It ends on another thread, and the script, which is busy, does not see that.
                local begun = os.clock()
                while os.clock() - begun < 0.01 do end
                if not isAddedBefore then queue:addOperation(root) end
                if not root.isFinished then
                    unseen = unseen + 1
                    cancel(root, queue)
                    assert(root.isCancelled and member.isCancelled, name .. ": it is not cancelled at once")
                end
                queue.isSuspended = false
                queue:waitUntilAllOperationsAreFinished()
                assert(member.isFinished and root.outcome == "cancelled", name .. ": " .. root.outcome)
            end
        end
    end
end
assert(unseen == 16, unseen)
