-- Under virtual time os.time, os.date and os.clock follow its clock, from the 1st of January 2000 on, in UTC.
-- arguments: --virtual
assert(os.time() == 946684800 and os.clock() == 0)
assert(os.date("%Y-%m-%d %H:%M:%S") == "2000-01-01 00:00:00")
sleep(36 * 3600 + 1.5)
assert(os.clock() == 129601.5 and clock.date() == 946684800 + 129601.5)
assert(os.date("!%d %H:%M:%S") == "02 12:00:01" and os.date("*t").day == 2)
assert(os.date("!%Y", 0) == "1970")
assert(os.time { year = 2001, month = 1, day = 1, hour = 0 } == 978307200)
assert(not pcall(os.date, "%Ez", "x"))
