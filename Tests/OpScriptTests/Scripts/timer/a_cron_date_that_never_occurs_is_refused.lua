-- A date that no year has is refused when the timer is made; dates that only some years have are not.
local function refused(fields)
    local ok, problem = pcall(Timer.cron, fields, print)
    assert(not ok and problem.code == "argument", fields .. ": " .. tostring(problem))
    assert(problem.message:find("this date never occurs", 1, true), problem)
    assert(problem.message:find("'" .. fields .. "'", 1, true), problem)
end
refused("0 0 30 feb *")
refused("0 0 31 2,4,6,9,11 *")
refused("0 0 30-31 feb */2")
for _, fields in ipairs { "0 0 29 feb *", "0 0 30,1 feb *", "0 0 31 jan,feb *", "0 0 30 feb mon", "0 0 29 feb */3" } do
    local timer = Timer.cron(fields, print)
    local years = (timer.fireDate - clock.date()) / (365.25 * 86400)
    assert(years > 0 and years < 41, fields .. ": " .. years)
    timer:invalidate()
end
