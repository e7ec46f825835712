-- A midnight that is missing each year: a fixed job runs after it, and one with wildcards never occurs and is refused.
-- arguments: --virtual-start 2026-11-25 --time-zone AAA4BBB,J331/0,J340/0
-- expect-stdout: 2026-11-27 01:00
-- expect-stdout: 2027-11-27 01:00
-- expect-stdout: 2028-11-27 01:00
local ok, message = pcall(Timer.cron, "* 0 27 11 *", print)
assert(not ok and tostring(message):find("never occurs", 1, true), message)
local midnight = Timer.cron("0 0 * * *", print)
assert(os.date("%F %T", midnight.fireDate // 1 | 0) == "2026-11-26 00:00:00")
midnight:invalidate()
Timer.cron("0 0 27 11 *", function(timer)
    print(os.date("%F %H:%M"))
    if timer.fireCount == 3 then timer:invalidate() end
end)
