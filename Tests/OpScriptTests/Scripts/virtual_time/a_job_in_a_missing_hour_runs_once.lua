-- When the clock is put forward, a job with a fixed hour that is missing runs at once after that; others follow the clock.
-- arguments: --virtual-start 2026-03-28T23:00 --time-zone Europe/Berlin
-- expect-stdout: 2026-03-29 03:00:00 +0200 half past two
-- expect-stdout: 2026-03-29 03:00:00 +0200 ten to three
-- expect-stdout: 2026-03-29 03:00:00 +0200 three
-- expect-stdout: 2026-03-30 02:30:00 +0200 half past two
-- expect-stdout: 2026-03-30 02:50:00 +0200 ten to three
-- expect-stdout: 2026-03-30 03:00:00 +0200 three
-- expect-stdout: 2026-03-31 02:30:00 +0200 half past two
-- expect-stdout: 2026-03-31 02:50:00 +0200 ten to three
-- expect-stdout: 2026-03-31 03:00:00 +0200 three
-- expect-stdout: 34 24
assert(clock.isVirtual and os.date("%F %T %z") == "2026-03-28 23:00:00 +0100")
local counts = { 0, 0 }

local function job(fields, name)
    Timer.cron(fields, function(timer)
        print(os.date("%F %T %z ") .. name)
        if timer.fireCount == 3 then timer:invalidate() end
    end)
end

job("30 2 * * *", "half past two")
job("50 2 * * *", "ten to three")
job("0 3 * * *", "three")
local wildcard = Timer.cron("*/30 * * * *", function() counts[1] = counts[1] + 1 end)
local hours = Timer.cron("0 * * * *", function() counts[2] = counts[2] + 1 end)
sleep(17.1 * 3600)
local half, full = counts[1], counts[2]
assert(half == 34 and full == 17, half .. " " .. full)
sleep(7 * 3600)
full = counts[2]
wildcard:invalidate()
hours:invalidate()
sleep(40 * 3600)
print(half .. " " .. full)
