-- A semaphore may be collected with any value, lower or higher than it began with.
for i = 1, 1000 do
    local semaphore = DispatchSemaphore(i % 3)
    if i % 3 > 0 then semaphore:wait() end
    if i % 5 == 0 then semaphore:signal() end
    if i % 7 == 0 then semaphore:wait(0) end
end
collectgarbage()
collectgarbage()
