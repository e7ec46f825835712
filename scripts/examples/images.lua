#!/usr/bin/env opscript
-- For each picture of a folder: read it, show it, filter it, show the filtered one, and write that to a file.
--
--     opscript images.lua [FOLDER [OUTPUT]]
--
-- FOLDER holds JPEG, PNG, WebP, PBM, PGM, PPM and PAM files; without it, it is the folder of this script. OUTPUT is created if it does not exist; without
-- it, it is `out` in FOLDER. A file that is not a picture is named on standard error, the others are processed, and the status is 1.
--
-- Each step is an operation, and depends on the one whose result it takes:
--
--     read ──┬── show
--            └── mono ── blur ──┬── show, filtered
--                               └── write

local folder = arg[1] or arg[0]:match("^(.*)/") or "."
local output = arg[2] or folder .. "/out"
-- A preview has this many columns and twice as many lines at most; a character is twice as high as it is wide.
local columns = 40

local function leave(status, message)
    io.stderr:write(message, "\n")
    os.exit(status)
end

if #arg > 2 then leave(2, "usage: opscript images.lua [FOLDER [OUTPUT]]") end
local formats = { jpg = true, jpeg = true, png = true, webp = true, pbm = true, pgm = true, ppm = true, pam = true }
local listed, names = pawait(work.file.list(folder))
if not listed then leave(1, "images: " .. names.message) end
local pictures = {}
for _, name in ipairs(names) do
    if formats[name:lower():match("%.(%w+)$")] then pictures[#pictures + 1] = name end
end
if #pictures == 0 then leave(1, ("images: there is no picture in '%s'"):format(folder)) end
local made, problem = pawait(work.file.makeDirectory(output))
if not made then leave(1, "images: " .. problem.message) end
print(("%d picture%s of '%s', filtered, go to '%s'"):format(#pictures, #pictures == 1 and "" or "s", folder, output))

local function place(path)
    local status = await(work.file.stat(path))
    return status.device .. ":" .. status.inode
end
if place(folder) == place(output) then
    leave(1, ("images: '%s' is also the folder of the originals, which would be replaced"):format(output))
end

-- Colours are for a terminal that says that it has them; elsewhere, characters stand for shades.
local colours = (os.getenv "COLORTERM" or "") ~= "" and os.execute "test -t 1" == true
local function preview(image)
    return await(work.image.preview(image, { columns = columns, colours = colours }))
end

-- Names may contain any bytes; on the terminal they are one line.
local function visible(name) return (name:gsub("%c", "?")) end

local queue = OperationQueue { name = "images" }
-- A serial queue shows one picture after the other in the order of the names, not of readiness.
local screen = DispatchQueue "screen"
-- A picture is in memory until it was shown, so only few are begun at a time.
local room = DispatchSemaphore(4)
local written = 0

local function show(title, source)
    return Operation {
        name = "show " .. visible(title),
        dependencies = { source },
        main = function()
            local image = source.result
            print(("%s: %d x %d, %d channel%s\n%s"):format(visible(title), image.width, image.height,
                image.channels, image.channels == 1 and "" or "s", preview(image)))
        end,
    }
end

local progress = Timer.scheduledTimer {
    interval = 1,
    repeats = true,
    keepsAlive = false,
    block = function()
        io.stderr:write(("images: %d of %d written\n"):format(written, #pictures))
    end,
}
for _, name in ipairs(pictures) do
    room:wait()
    local original = work.image.read(folder .. "/" .. name)
    local mono = work.image.mono(original)
    local blurred = work.image.blur(mono, 2)
    local write = work.image.write(blurred, output .. "/" .. name)
    original.name = "read " .. visible(name)
    mono.name = "mono " .. visible(name)
    blurred.name = "blur " .. visible(name)
    write.name = "write " .. visible(name)
    -- Begun pictures are completed before the next one is read.
    write.queuePriority = "veryHigh"
    blurred.queuePriority = "high"
    mono.queuePriority = "high"
    original.queuePriority = "low"
    write.completionBlock = function(operation)
        if operation.outcome == "succeeded" then written = written + 1 end
    end
    local shown, filtered = show(name, original), show(name .. ", filtered", blurred)
    filtered.completionBlock = function() room:signal() end
    queue:addOperations { original, mono, blurred, write }
    screen:async(shown)
    screen:async(filtered)
end
screen:sync(function() end)
queue:waitUntilAllOperationsAreFinished()
progress:invalidate()
print(("%d of %d written to '%s'"):format(written, #pictures, output))
