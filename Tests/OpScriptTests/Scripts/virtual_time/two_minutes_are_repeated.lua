-- The clock is put back by two minutes: a job in these minutes runs once each day.
-- arguments: --virtual-start 2026-11-25T12:00 --time-zone AAA0BBB-0:02,J300/2,J330/22:33
-- expect-stdout: 11-25 22:32 +0002
-- expect-stdout: 11-26 22:32 +0002
-- expect-stdout: 11-27 22:32 +0000
Timer.cron("32 22 * * *", function(timer)
    print(os.date("%m-%d %H:%M %z"))
    if timer.fireCount == 3 then timer:invalidate() end
end)
