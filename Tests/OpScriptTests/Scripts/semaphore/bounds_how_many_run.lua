-- A semaphore with n signals lets n at a time through.
local semaphore, queue = DispatchSemaphore(3), DispatchQueue { attributes = "concurrent" }
local running, most, group = 0, 0, DispatchGroup()
for i = 1, 30 do
    queue:async { function()
        semaphore:wait()
        running = running + 1
        most = math.max(most, running)
        sleep(0.0005)
        running = running - 1
        semaphore:signal()
    end, group = group }
end
group:wait()
assert(most == 3, most)
