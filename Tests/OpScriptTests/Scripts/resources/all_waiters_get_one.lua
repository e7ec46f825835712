-- All operations that wait for a resource get it: jobs by chance over resources, targets, groups, barriers and priorities.
for job = 101, 200 do
    math.randomseed(job)
    local function chance(n) return math.random(n) == 1 end
    local function pick(t) return t[math.random(#t)] end
    local resources = {}
    for i = 1, math.random(2) do
        resources[i] = "r" .. job .. "_" .. i
        OperationQueue.setResource(resources[i], math.random(2))
    end
    local queues, dispatch = {}, {}
    for i = 1, math.random(2, 5) do
        if chance(3) then
            queues[i] = OperationQueue { maxConcurrentOperationCount = math.random(3) }
        else
            local target = #dispatch > 0 and not chance(4) and pick(dispatch) or nil
            queues[i] = DispatchQueue { label = "q" .. i, attributes = chance(2) and "concurrent" or nil, target = target }
            dispatch[#dispatch + 1] = queues[i]
        end
    end
    local all = {}
    local function needs(op)
        if chance(3) then return op end
        local set = {}
        for _, name in ipairs(resources) do if chance(2) then set[name] = 1 end end
        op.resources = set
        return op
    end
    local function leaf()
        local kind = math.random(3)
        local op
        if kind == 1 then op = work.sleep(math.random(0, 3) / 1000)
        elseif kind == 2 then op = work.compute.primes(10)
        else local n = math.random(0, 2) / 1000 op = Operation(function() if n > 0 then sleep(n) end end) end
        op.name = "a" .. #all + 1
        if chance(3) then op.queuePriority = pick { "veryLow", "low", "high", "veryHigh" } end
        all[#all + 1] = op
        return needs(op)
    end
    local suspended = chance(2) and pick(queues)
    local isDispatch = suspended and tostring(suspended):find('^DispatchQueue') ~= nil
    if suspended then if isDispatch then suspended:suspend() else suspended.isSuspended = true end end
    for _ = 1, math.random(2, 7) do
        local op
        if chance(3) then
            local members = {}
            for i = 1, math.random(3) do members[i] = leaf() end
            members.maxConcurrentOperationCount = math.random(2)
            op = GroupOperation(members)
            op.name = "g" .. #all + 1
            all[#all + 1] = op
        else
            op = leaf()
        end
        if #all > 2 and chance(4) then
            local other = pick(all)
            if other ~= op then pcall(op.addDependency, op, other, "finished") end
        end
        local queue = pick(queues)
        if tostring(queue):find('^OperationQueue') then queue:addOperation(op)
        elseif chance(4) then queue:async { op, flags = "barrier" }
        else queue:async(op) end
    end
    if suspended then
        sleep(0.002)
        if isDispatch then suspended:resume() else suspended.isSuspended = false end
    end
    for _, op in ipairs(all) do
        assert(op:waitUntilFinished(60), "job " .. job .. ": " .. op.name .. " is " .. op.state)
    end
end
