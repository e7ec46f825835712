-- Calls about an operation that has ended, and whose end the script does not see yet, do what they do before its end.
local results = {}
local function note(ok, text) results[#results + 1] = { ok, text } end
local bodies = {
    succeeded = {
        lua = function() return Operation(function() return "R" end) end,
        block = function() return BlockOperation(function() return "R" end) end,
        blocks = function() return BlockOperation(function() return "R" end, function() end) end,
        asynchronous = function() return Operation { start = function(op) op:finish("R") end } end,
        isolate = function() return isolate(function() return "R" end)() end,
        work = function() return work.json.decode '"R"' end,
    },
    failed = {
        lua = function() return Operation { main = function() error("no", 0) end } end,
        asynchronous = function() return Operation { start = function(op) op:fail("no") end } end,
        isolate = function() return isolate(function() error("no", 0) end)() end,
        work = function() return work.json.decode '{' end,
    },
}
local pass = {
    notFailed = { succeeded = true }, succeeded = { succeeded = true }, finished = { succeeded = true, failed = true },
    failed = { failed = true },
}
local Q, gate = OperationQueue.default, Gate "never"
-- Each is called at the moment, and returns a function that judges at the end.
local calls = {
    await = function(op, outcome)
        local got
        local waiter = async(function() got = table.pack(pcall(await, op)) end)
        return function()
            if outcome == "succeeded" then return got and got[1] and got[2] == "R" end
            return got and not got[1]
        end
    end,
    all = function(op, outcome)
        local got
        async(function() got = table.pack(pcall(await.all, { op })) end)
        return function() return got and got[1] == (outcome == "succeeded") and (not got[1] or got[2][1] == "R") end
    end,
    settled = function(op, outcome)
        local got
        async(function() got = await.settled { op } end)
        return function() return got and got[1] == op and op.outcome == outcome end
    end,
    pawait = function(op, outcome)
        local got
        async(function() got = table.pack(pawait(op)) end)
        return function() return got and got[1] == (outcome == "succeeded") and (not got[1] or got[2] == "R") end
    end,
    wait = function(op)
        local got
        async(function() got = op:waitUntilFinished() end)
        return function() return got == true end
    end,
    any = function(op, outcome)
        local got
        async(function() got = await.any { op, gate } end)
        return function() return got == op end
    end,
    block = function(op)
        local count = 0
        op.completionBlock = function() count = count + 1 end
        return function() return count == 1 end
    end,
    observe = function(op)
        local before, count = op.isFinished, 0
        op:observe("isFinished", function() count = count + 1 end)
        -- One that is registered after the end may still receive it.
        return function() return count == 1 or before and count == 0 end
    end,
    state = function(op)
        local before, changes = op.state, {}
        op:observe("isExecuting", function(c) changes[#changes + 1] = c.new end)
        return function() return changes[#changes] ~= true end
    end,
    cancel = function(op, outcome)
        local before = op.state
        op:cancel()
        local said = op.isCancelled
        return function()
            if before == "finished" then return op.outcome == outcome and not said end
            return op.outcome == "cancelled" and said and op.isCancelled
        end, true
    end,
    group = function(op, outcome)
        local ran = false
        local group = GroupOperation { Operation(function() ran = true end) }
        group:addDependency(op)
        Q:addOperation(group)
        return function() return ran == (outcome == "succeeded") and group.outcome == (ran and "succeeded" or "skipped") end
    end,
    removed = function(op)
        local after = Operation(function() end)
        after:addDependency(op, "succeeded")
        after:removeDependency(op)
        Q:addOperation(after)
        return function() return after.outcome == "succeeded" end
    end,
    queueWait = function(op)
        local got
        local queue = op.queue
        if tostring(queue):find "Dispatch" then return function() return true end end
        async(function() queue:waitUntilAllOperationsAreFinished() got = op.isFinished end)
        return function() return got == true end
    end,
    results = function(op, outcome)
        local got
        async(function() op:waitUntilFinished() got = table.pack(op:results()) end)
        return function() return got and (outcome ~= "succeeded" or got[1] == "R") end
    end,
}
for when, outcomes in pairs(pass) do
    for kind, make in pairs {
        lua = function() return Operation(function() end) end,
        work = function() return work.json.encode(1) end,
    } do
        calls["after " .. when .. " " .. kind] = function(op, outcome)
            local after = make()
            after.allowsFailure = true
            after:addDependency(op, when)
            Q:addOperation(after)
            return function() return after.outcome == (outcomes[outcome] and "succeeded" or "skipped") end
        end
    end
end
local moments = {
    completion = function(make) local op = Operation(function() end) op.completionBlock = make return op end,
    observer = function(make)
        local op = Operation(function() end)
        op:observe("isFinished", make)
        return op
    end,
    ofWork = function(make) local op = work.json.encode(1) op.completionBlock = make return op end,
    body = function(make) return Operation(make) end,
    waiting = function(make) return Operation(function() sleep(0.001) make() end) end,
    busy = function(make) return Operation(function() for _ = 1, 20000 do end make() end) end,
}
local queues = { OperationQueue(), OperationQueue { maxConcurrentOperationCount = 1 }, OperationQueue.main, DispatchQueue { label = "s" } }
for outcome, list in pairs(bodies) do
    for producer, produce in pairs(list) do
        for call, act in pairs(calls) do
            for moment, at in pairs(moments) do
                for place, queue in ipairs(queues) do
                    for _, isFirst in ipairs { true, false } do
                        local op = produce()
                        op.allowsFailure = true
                        local name = ("%s %s, %s, %s, %d, %s"):format(outcome, producer, call, moment, place, isFirst)
                        local other = at(function()
                            local state = op.state
                            local ok, judge = pcall(act, op, outcome)
                            if not ok then return note(false, name .. ": " .. tostring(judge)) end
                            results[#results + 1] = { judge, name .. " (was " .. state .. ")", op }
                        end)
                        local list = isFirst and { op, other } or { other, op }
                        if place == 4 then for _, one in ipairs(list) do queue:async(one) end else queue:addOperations(list) end
                    end
                end
            end
        end
    end
end
for place, queue in ipairs(queues) do if place == 4 then queue:sync(function() end) else queue:waitUntilAllOperationsAreFinished() end end
Q:waitUntilAllOperationsAreFinished()
for _, r in ipairs(results) do if r[3] then r[3]:waitUntilFinished() end end
Q:waitUntilAllOperationsAreFinished()
sleep(0.05)
gate:finish()
sleep(0.01)
local wrong = {}
for _, r in ipairs(results) do
    local ok = r[1]
    if type(ok) == "function" then ok = ok() end
    if not ok then wrong[#wrong + 1] = r[2] .. (r[3] and " is " .. tostring(r[3].outcome) or "") end
end
table.sort(wrong)
assert(#wrong == 0, ("%d of %d are wrong:\n%s"):format(#wrong, #results, table.concat(wrong, "\n", 1, math.min(#wrong, 20))))
assert(#results == 10 * 22 * 6 * 4 * 2, #results)
