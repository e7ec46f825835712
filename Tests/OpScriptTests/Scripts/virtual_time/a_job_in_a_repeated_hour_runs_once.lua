-- When the clock is put back, a job with a fixed hour does not run again; jobs with wildcards follow the clock.
-- arguments: --virtual-start 2026-10-25T00:15 --time-zone Europe/Berlin
-- expect-stdout: 30 2 * * *: 02:30+0200 02:30+0100
-- expect-stdout: 0,30 1-3 * * *: 01:00+0200 01:30+0200 02:00+0200 02:30+0200 03:00+0100 03:30+0100 01:00+0100
-- expect-stdout: 30 * * * *: 00:30+0200 01:30+0200 02:30+0200 02:30+0100 03:30+0100
-- expect-stdout: 30 */2 * * *: 00:30+0200 02:30+0200 02:30+0100 04:30+0100
-- expect-stdout: */20 2 * * *: 02:00+0200 02:20+0200 02:40+0200 02:00+0100 02:20+0100 02:40+0100 02:00+0100
for _, job in ipairs {
    { "30 2 * * *", 2 }, { "0,30 1-3 * * *", 7 }, { "30 * * * *", 5 }, { "30 */2 * * *", 4 }, { "*/20 2 * * *", 7 },
} do
    local fields, count, fires = job[1], job[2], {}
    Timer.cron(fields, function(timer)
        fires[#fires + 1] = os.date("%H:%M%z")
        if timer.fireCount == count then timer:invalidate() end
    end)
    Timer.scheduledTimer { interval = 3 * 86400, block = function()
        print(fields .. ": " .. table.concat(fires, " "))
    end }
end
