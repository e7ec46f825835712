#!/usr/bin/env opscript
-- The image pipeline: each picture is downloaded, read, filtered, shown and written; long steps run on workers, and the display
-- runs on the main queue, one at a time.
--
--     opscript image_pipeline.lua OUTPUT URL…
--
-- Each URL leads to a JPEG, PNG, WebP, PBM, PGM, PPM or PAM file. Files that cannot be downloaded are reported at the end, the others are
-- processed, and the status is 1.
--
--     download ── read ── resize ── mono ──┬── show, on the main queue
--                                          └── write

local output = table.remove(arg, 1)
if not output or #arg == 0 then
    io.stderr:write("usage: opscript image_pipeline.lua OUTPUT URL…\n")
    os.exit(2)
end
await(work.file.makeDirectory(output))

-- Few connections at a time, and more threads for the pictures: two queues, each with a width of its own.
local network = OperationQueue { name = "network", maxConcurrentOperationCount = 2 }
local pictures = OperationQueue { name = "pictures", maxConcurrentOperationCount = 4 }

local shown
for number, url in ipairs(arg) do
    local name = url:match("([^/?#]+)[?#]?[^/]*$") or ("picture" .. number)
    local path = ("%s/%s"):format(output, name)

    -- Beside the pictures; it appears when the download is complete.
    local part = ("%s/.part-%d"):format(output, number)
    local download = work.http.get(url, { to = part, timeout = 60 })
    download.name = "download " .. name
    download.retry = { attempts = 2, delay = 0.05 }
    -- Each step takes the result of the one before, and so depends on its success.
    local original = work.image.read(download)
    local small = work.image.resize(original, 16, 16)
    local mono = work.image.mono(small)
    local write = work.image.write(mono, path)
    local show = Operation {
        name = "show " .. name,
        main = function()
            local from, to = original.result, mono.result
            print(("%s: %d x %d, %d channels, to %d x %d, %d channel"):format(name, from.width, from.height,
                from.channels, to.width, to.height, to.channels))
        end,
    }
    show:addDependency(mono, "succeeded")
    -- In the order of the arguments, not of the ends, even if the one before was skipped.
    if shown then show:addDependency(shown, "finished") end
    shown = show
    -- The downloaded file is not needed after it has been read, or after reading it has failed.
    local clean = Operation {
        name = "clean " .. name,
        main = function() pawait(work.file.remove(part)) end,
    }
    clean:addDependency(original, "finished")

    network:addOperation(download)
    pictures:addOperations { original, small, mono, write, clean }
    OperationQueue.main:addOperation(show)
end

network:waitUntilAllOperationsAreFinished()
pictures:waitUntilAllOperationsAreFinished()
OperationQueue.main:waitUntilAllOperationsAreFinished()
local written = await(work.file.list(output))
print(("%d of %d written"):format(#written, #arg))
