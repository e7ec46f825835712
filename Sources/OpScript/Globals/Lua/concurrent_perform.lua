local _ENV = ...

-- DispatchQueue.concurrentPerform(count, body)
local pcall, isOperation, pawait, errorValue = pcall, isOperation, pawait, errorValue
local whenLeft = { __close = function(run)
    run.isLeft = true
end }

function functions.concurrentPerform(count, body, ...)
    refuseMore("concurrentPerform", 3, ...)
    local given = count
    count = wholeNumber(given, 0)
    if not count then
        fail("argument", "bad argument #1 to 'concurrentPerform' "
            .. "(a whole number of at least 0 expected, got " .. quantity(given) .. ")")
    end
    if type(body) ~= "function" then
        fail("argument", "bad argument #2 to 'concurrentPerform' (function expected, got " .. kind(body) .. ")")
    end
    -- As many coroutines as may wait at a time; each takes one number after the other.
    local run <close> = setmetatable({}, whenLeft)
    local place, firstPlace, firstError = 0, nil, nil
    local function perform(operation)
        while place < count and not run.isLeft and not operation.isCancelled do
            place = place + 1
            local own = place
            local ok, value = pcall(body, own)
            if ok and isOperation(value) then
                ok, value = pawait(value)
            end
            if not ok and (not firstPlace or own < firstPlace) then
                firstPlace, firstError = own, value
            end
        end
    end
    local queue, performers = DispatchQueue.global(), {}
    for number = 1, count < 64 and count or 64 do
        performers[number] = queue:async(perform)
    end
    await.all(performers)
    if firstPlace then
        error(errorValue(firstError), 0)
    end
end
