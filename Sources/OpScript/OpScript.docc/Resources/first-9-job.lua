local queue = OperationQueue { name = "pictures", maxConcurrentOperationCount = 2 }
local scaled = {}
for _, name in ipairs { "cat", "unicorn", "elephant" } do
    local picture = work.load(name)
    local small = work.scale(picture, 320)
    queue:addOperations { picture, small }
    scaled[name] = small
end
queue:waitUntilAllOperationsAreFinished()
for _, name in ipairs { "cat", "unicorn", "elephant" } do
    print(name, scaled[name].outcome)
end
