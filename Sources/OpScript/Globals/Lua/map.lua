local _ENV = ...

-- The iterator functions of `pairs` and `ipairs`.
local pairsStep, ipairsStep = (pairs({})), (ipairs({}))

-- queue:map(list | iterator, fn [, options])
function functions.map(queue, list, fn, options, ...)
    refuseMore("map", 4, ...)
    checkQueue(queue)
    local mapLimit = mapLimit
    if isOnCluster(queue) then
        -- The cluster has more cores than this machine, and a job takes a while to begin.
        mapLimit = 1024
    end
    local limit, isGiven = mapLimit, false
    if type(list) ~= "table" and type(list) ~= "function" then
        fail("argument", "bad argument #1 to 'map' (table or iterator expected, got " .. kind(list) .. ")")
    end
    -- `table.pack()` of nothing is an empty list.
    if type(list) == "table" and list[1] == nil and next(list) ~= nil and list.n ~= 0 then
        fail("argument", "bad argument #1 to 'map' (list expected, got a table without an element [1])")
    end
    if list == pairsStep or list == ipairsStep then
        fail("argument", "bad argument #1 to 'map' (a list, or a function that returns the next item, "
            .. "expected; pass the table itself and not 'pairs' or 'ipairs' of it)")
    end
    if type(fn) ~= "function" and kind(fn) ~= "isolate" then
        fail("argument", "bad argument #2 to 'map' (function expected, got " .. kind(fn) .. ")")
    end
    if options ~= nil then
        if type(options) ~= "table" then
            fail("argument", "bad argument #3 to 'map' (table expected, got " .. kind(options) .. ")")
        end
        for key in next, options do
            if key ~= "limit" then
                fail("argument", "map has no option '" .. tostring(key) .. "' (did you mean 'limit'?)")
            end
        end
        if options.limit ~= nil then
            limit, isGiven = wholeNumber(options.limit, 1), true
            if not limit then
                fail("argument", "bad value for 'limit' (a whole number of at least 1 expected, got "
                    .. quantity(options.limit) .. ")")
            end
        end
    end
    local results, place, isDone, isStopped = {}, 0, false, false
    local alive, places = {}, {}
    local firstPlace, firstError
    -- `pawait` and not `result`: the completion block of a finished operation may still have to run.
    local function take(operation, at)
        local ok, value = pawait(operation)
        if ok then
            results[at] = value
        elseif not firstPlace or at < firstPlace then
            firstPlace, firstError = at, value
        end
    end
    local stops = stopCount(queue)
    while true do
        local began = now()
        -- Short operations are added in batches: one at a time would cost a change of threads for each.
        local mayAdd = #alive <= limit // 2 or limit <= mapLimit
        while mayAdd and #alive < limit and not isDone do
            if stopCount(queue) ~= stops then
                isDone, isStopped = true, true
                break
            end
            local item
            if type(list) == "table" then
                item = list[place + 1]
            else
                item = list()
            end
            if item == nil then
                isDone = true
            else
                place = place + 1
                local value = fn(item, place)
                if addIfOperation(queue, value) then
                    alive[#alive + 1] = value
                    places[#places + 1] = place
                else
                    results[place] = value
                end
            end
        end
        if #alive == 0 then
            break
        end
        local before = #alive
        await.any(alive)
        -- All that have ended are taken together: each wait costs a change of threads.
        for index = #alive, 1, -1 do
            if alive[index].isFinished then
                local operation, at, last = alive[index], places[index], #alive
                alive[index], places[index] = alive[last], places[last]
                alive[last], places[last] = nil, nil
                take(operation, at)
            end
        end
        if not isGiven then
            -- Seconds for each operation that has ended.
            local each = (now() - began) / (before > #alive and before - #alive or 1)
            if each < 0.001 then
                limit = limit * 2 < 1024 and limit * 2 or 1024
            elseif each > 0.004 then
                limit = limit // 2
            end
            limit = limit > mapLimit and limit or mapLimit
        end
    end
    if firstPlace then
        error(firstError, 0)
    elseif isStopped then
        fail("cancelled", "'map' did not come to the end: the operations of its queue were cancelled")
    end
    return results
end
