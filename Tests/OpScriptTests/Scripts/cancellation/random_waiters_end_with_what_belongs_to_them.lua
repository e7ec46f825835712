-- Random waiters over random graphs, some of which the script added: a model names the operations that end with their
-- waiters. It works from above: everything below a cancelled wait ends, except operations that something else needs.
-- arguments: --virtual -q
local function trial(seed)
    math.randomseed(seed)
    local R = math.random
    local count = R(1, 7)
    local ops, deps, isAdded = {}, {}, {}
    local q = OperationQueue()
    for i = 1, count do
        local kind = R(3)
        local function body() sleep(36000) end
        ops[i] = kind == 1 and work.sleep(36000) or kind == 2 and Operation(body) or BlockOperation(body)
        ops[i].name = "op" .. i
        deps[i] = {}
        for j = 1, i - 1 do
            if R() < 0.3 then
                ops[i]:addDependency(ops[j], ({ "finished", "notFailed", "succeeded" })[R(3)])
                deps[i][j] = true
            end
        end
    end
    for i = 1, count do if R() < 0.25 then q:addOperation(ops[i]) isAdded[i] = true end end
    local ways = {
        function(l) await(l[1]) end, function(l) pawait(l[1]) end,
        function(l) await.all(l) end, function(l) await.any(l) end, function(l) await.settled(l) end,
        function(l) l[1]:waitUntilFinished() end, function(l) l[1]:waitUntilFinished(30000) end,
        function(l) local n = coroutine.wrap(function() await.all(l) end) n() end,
    }
    local waiters, isByWait = {}, {}
    local function submit(i)
        if not isAdded[i] and not isByWait[i] then isByWait[i] = true end
        for j in pairs(deps[i]) do submit(j) end
    end
    for w = 1, R(1, 5) do
        local list, places = {}, {}
        for n = 1, R(1, 3) do places[n] = R(count) list[n] = ops[places[n]] end
        local way = R(#ways)
        if way <= 2 or way == 6 or way == 7 then places = { places[1] } end
        -- waitUntilFinished submits nothing; on an operation in no queue it would be a deadlock at the end.
        local op = Operation { main = function() ways[way](list) end, allowsFailure = true }
        if R() < 0.2 then op.timeout = 5 end
        waiters[w] = { op = op, places = places, isActive = true, times = op.timeout ~= nil }
        OperationQueue():addOperation(op)
        sleep(0)
        if way ~= 6 and way ~= 7 then for _, i in ipairs(places) do submit(i) end end
    end
    sleep(0.1)
    local isGone = {}
    local function leave(w)
        waiters[w].isActive = false
        local candidate = {}
        for _, i in ipairs(waiters[w].places) do candidate[i] = true end
        -- Fixpoint from above: an operation stays if something needs it.
        local stays = {}
        local changed = true
        -- reachable by dependencies from the candidates
        local reach = {}
        local function walk(i) if not reach[i] then reach[i] = true for j in pairs(deps[i]) do walk(j) end end end
        for i in pairs(candidate) do walk(i) end
        while changed do
            changed = false
            for i in pairs(reach) do
                if not stays[i] and not isGone[i] then
                    local keep = not isByWait[i]
                    for _, other in ipairs(waiters) do
                        for _, p in ipairs(other.places) do
                            if other.isActive and p == i then keep = true end
                        end
                    end
                    local isNeeded = candidate[i]
                    for d = 1, count do
                        if deps[d][i] and not isGone[d] then
                            if not reach[d] or stays[d] then keep = true else isNeeded = true end
                        end
                    end
                    if not isNeeded then keep = true end
                    if keep then stays[i] = true changed = true end
                end
            end
        end
        for i in pairs(reach) do if not stays[i] then isGone[i] = true end end
    end
    local function check(moment)
        for i = 1, count do
            if ops[i].isCancelled ~= (isGone[i] or false) then
                error(("seed %d, %s: %s (%s) must %sbe cancelled"):format(
                    seed, moment, ops[i].name, ops[i].state, isGone[i] and "" or "not "))
            end
        end
    end
    check("before")
    local order = {}
    for w = 1, #waiters do table.insert(order, R(#order + 1), w) end
    for _, w in ipairs(order) do
        if not waiters[w].times then
            waiters[w].op:cancel()
            leave(w)
            check("cancel " .. w)
        end
        if R() < 0.5 then sleep(0.01) check("later " .. w) end
    end
    sleep(10)
    for w = 1, #waiters do if waiters[w].times then leave(w) end end
    check("timeouts")
    for _, op in ipairs(ops) do op:cancel() end
    for _, waiter in ipairs(waiters) do waiter.op:cancel() end
end

for seed = 1, tonumber(arg[1]) or 100 do trial(seed) end
