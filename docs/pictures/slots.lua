-- opscript --virtual --report docs/pictures/slots.svg docs/pictures/slots.lua
local pictures = OperationQueue { name = "pictures", maxConcurrentOperationCount = 1 }
for _, name in ipairs { "cat", "dog" } do
    local fetch = work.sleep(1)
    fetch.name = "fetch " .. name
    local resize = Operation { name = "resize " .. name, main = function() sleep(2) end }
    resize:addDependency(fetch)
    OperationQueue.default:addOperation(fetch)
    pictures:addOperation(resize)
end
pictures:waitUntilAllOperationsAreFinished()
