-- A barrier runs alone: after all before it, and before all after it.
-- expect-stdout: read read write read read
local queue = DispatchQueue { label = "data", attributes = "concurrent" }
local log, readers, mostReaders = {}, 0, 0
local function read()
    readers = readers + 1
    mostReaders = math.max(mostReaders, readers)
    sleep(0.001)
    readers = readers - 1
    log[#log + 1] = "read"
end
queue:async(read)
queue:async(read)
queue:async { function() assert(readers == 0) sleep(0.001) assert(readers == 0) log[#log + 1] = "write" end, flags = "barrier" }
queue:async(read)
queue:async(read)
queue:sync { function() end, flags = "barrier" }
assert(mostReaders == 2)
print(table.concat(log, " "))
