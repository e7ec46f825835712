-- photographs.lua FOLDER N: makes the first N photographs of FOLDER 800 pixels wide; the small ones go to FOLDER/small.
-- photographs.lua FOLDER N make: makes them, JPEGs of 12 megapixels. Ten differ; the others are links to those.
local folder, count = arg[1], math.tointeger(arg[2])
local queue = OperationQueue { name = "photographs", maxConcurrentOperationCount = 4 }

local function path(number) return ("%s/%d.jpg"):format(folder, number) end

local function shrink(number)
    return queue:addOperation(function()
        local photo = await(work.image.read(path(number)))
        local small = await(work.image.resize(photo, 800, (photo.height * 800 + photo.width // 2) // photo.width))
        await(work.image.write(small, ("%s/small/%d.jpg"):format(folder, number), { quality = 85 }))
    end)
end

-- Gradients with noise, which a JPEG keeps about as large as a real photograph.
local function photograph(number)
    math.randomseed(number)
    local width, height = 4000, 3000
    local rows = {}
    for y = 1, height do
        local pieces = {}
        for x = 1, 40 do
            local shade = (x * 5 + y // 16 + number * 20) % 200
            local red, green, blue = shade + math.random(0, 15), 200 - shade + math.random(0, 15), shade // 2 + math.random(0, 30)
            local two = string.char(red, green, blue, red + math.random(0, 20), green, blue + math.random(0, 20))
            pieces[x] = two:rep(50)
        end
        rows[y] = table.concat(pieces)
    end
    return ("P6 %d %d 255\n"):format(width, height) .. table.concat(rows)
end

if arg[3] == "make" then
    for number = 1, math.min(count, 10) do
        local photo = await(work.image.decode(photograph(number)))
        await(work.image.write(photo, path(number), { quality = 92 }))
    end
    for number = 11, count do
        await(work.process.run { "ln", "-sf", ("%d.jpg"):format((number - 1) % 10 + 1), path(number) })
    end
    return
end
for number = 1, count do shrink(number) end
queue:waitUntilAllOperationsAreFinished()
