-- A wait for a group that waits for an operation names the thing that the operation waits for.
-- expect-status: 3
local group = DispatchGroup()
local queue = DispatchQueue "io"
queue:suspend()
queue:async { function() end, group = group }
local ok, err = pcall(group.wait, group)
assert(not ok and err.code == "deadlock" and err:find("queue 'io' is suspended", 1, true), err)
