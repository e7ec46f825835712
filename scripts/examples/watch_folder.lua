#!/usr/bin/env opscript
-- Watches a folder, and converts each picture that arrives in it to black and white.
--
--     opscript watch_folder.lua FOLDER OUTPUT [COUNT]
--
-- FOLDER and OUTPUT must exist and differ; PBM, PGM, PPM and PAM files are converted, existing ones first. A file that is moved
-- into FOLDER, or written under another name and renamed, is complete when it is seen; copy files in that way. It ends at
-- Ctrl-C, or after COUNT pictures. Shows: a source of a folder, whose events report that something changed and not what; a queue
-- behind it; and a signal that lets the pictures in the queue be finished.

local folder, output, count = arg[1], arg[2], tonumber(arg[3] or math.huge)
if not output or #arg > 3 or not count then
    io.stderr:write("usage: opscript watch_folder.lua FOLDER OUTPUT [COUNT]\n")
    os.exit(2)
end

local queue = OperationQueue { name = "pictures", maxConcurrentOperationCount = 4 }
local seen, converted = {}, 0
local watch = DispatchSource.fileSystem(folder, { "write", "delete" })
local interrupt = DispatchSource.signal("SIGINT")

local function convert(name)
    local read = work.image.read(folder .. "/" .. name)
    local mono = work.image.mono(read)
    local save = work.image.write(mono, output .. "/" .. name)
    -- A file that cannot be converted is named, and the watch continues.
    for _, operation in ipairs { read, mono, save } do operation.allowsFailure = true end
    save.completionBlock = function(operation)
        if operation.outcome == "succeeded" then
            print("converted " .. name)
        else
            local problem = read.error or mono.error or operation.error
            io.stderr:write("watch_folder: ", problem and problem.message or operation.outcome, "\n")
        end
        io.stdout:flush()
        converted = converted + 1
        if converted >= count then watch:cancel() end
    end
    queue:addOperations { read, mono, save }
end

-- An event represents any number of changes: find the new files.
local function look()
    for _, name in ipairs(await(work.file.list(folder))) do
        if not seen[name] and name:lower():find("%.p[bgpan]m$") then
            seen[name] = true
            convert(name)
        end
    end
end

watch:setEventHandler(function()
    if watch.data.delete then
        io.stderr:write("watch_folder: '", folder, "' was removed\n")
        return watch:cancel()
    end
    look()
end)
watch:setCancelHandler(function() interrupt:cancel() end)
interrupt:setEventHandler(function() watch:cancel() end)

-- First the watch, then the first check: no file that arrives in between is missed.
watch:activate()
interrupt:activate()
look()
