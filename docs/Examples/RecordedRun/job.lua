-- Two pictures: each is fetched, then made smaller; one at a time is made smaller.
local small = OperationQueue { name = "small", maxConcurrentOperationCount = 1 }
for _, name in ipairs { "cat", "dog" } do
    local fetch, shrink = work.sleep(1), work.sleep(2)
    fetch.name, shrink.name = "fetch " .. name, "shrink " .. name
    shrink:addDependency(fetch)
    OperationQueue.default:addOperation(fetch)
    small:addOperation(shrink)
end
