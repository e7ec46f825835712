-- `*/2` chooses each second day; beside a day of the week, both have to match.
-- arguments: --virtual
local function days(fields, count)
    local found = {}
    local timer = Timer.cron(fields, function(timer)
        found[#found + 1] = os.date("%a %d", math.floor(clock.date() + 0.5))
        if #found == count then timer:invalidate() end
    end)
    while timer.isValid do sleep(3600) end
    return table.concat(found, " ")
end
-- Virtual time begins on Saturday, the 1st of January 2000.
local each = days("0 12 */2 * *", 4)
assert(each == "Sat 01 Mon 03 Wed 05 Fri 07", each)
local both = days("0 12 */10 * mon,tue,fri", 2)
assert(both == "Fri 21 Mon 31" or both == "Tue 11 Fri 21", both)
