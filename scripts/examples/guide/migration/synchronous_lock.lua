#!/usr/bin/env opscript
-- `sync` runs a critical section and returns its results when it has ended. Use it only if the code needs
-- the results at once. It protects the resource no better than `async` does.
-- In the guide: Migrating Away from Threads, "Executing Critical Sections Synchronously", listing 5-2

local seats = DispatchQueue { label = "seats" }
local free = { "1A", "1B", "2A" }

-- Two callers never get the same seat.
local function reserve(passenger)
    return seats:sync(function()
        local seat = table.remove(free, 1)
        if not seat then error("no seat for " .. passenger, 0) end
        sleep(0)                                -- other code runs, but no task of this queue
        return seat, #free
    end)
end

local reservations = {}
local group = DispatchGroup()
for i, passenger in ipairs { "Ada", "Grace", "Edsger", "Barbara" } do
    DispatchQueue.global():async { function()
        local ok, seat, left = pcall(reserve, passenger)
        reservations[i] = ok and ("%s has %s, %d left"):format(passenger, seat, left) or tostring(seat)
    end, group = group }
end
group:wait()
print(table.concat(reservations, "\n"))

-- A change whose result is not needed is added with `async`.
seats:async(function() free[#free + 1] = "1A" end)
print(reserve "Barbara")
