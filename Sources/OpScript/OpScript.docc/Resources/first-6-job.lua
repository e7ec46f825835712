local queue = OperationQueue { name = "pictures", maxConcurrentOperationCount = 2 }
local scaled = {}
for _, name in ipairs { "cat", "dog", "elephant" } do
    local picture = work.load(name)
    local small = work.scale(picture, 320)
    queue:addOperations { picture, small }
    scaled[#scaled + 1] = small
end
for _, picture in ipairs(await.all(scaled)) do
    print(picture.name, picture.width)
end
