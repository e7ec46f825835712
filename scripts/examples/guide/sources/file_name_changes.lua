#!/usr/bin/env opscript
-- This source watches a file for changes of its name. The source follows the file, so it reports every
-- change. The context of the source holds the current name.
-- In the guide: Dispatch Sources, "Monitoring a File System Object", listing 4-4

local directory = await(work.file.temporary())
await(work.file.remove(directory))
await(work.file.makeDirectory(directory))
local function place(name) return directory .. "/" .. name end
await(work.file.write(place "draft.txt", "text"))

-- Finds the file by its inode, which does not change with the name.
local function nameOf(inode)
    for _, name in ipairs(await(work.file.list(directory))) do
        if await(work.file.stat(place(name))).inode == inode then return name end
    end
end

local inode = await(work.file.stat(place "draft.txt")).inode
local changed = DispatchSemaphore(0)

local source = DispatchSource.fileSystem(place "draft.txt", { "rename", "delete" })
source.context = "draft.txt"
source:setEventHandler(function()
    local name = nameOf(inode)
    if name and name ~= source.context then
        print(source.context .. " is now " .. name)
        source.context = name
    end
    if source.data.delete then source:cancel() end
    changed:signal()
end)
source:setCancelHandler(function() print(source.context .. " is gone") end)
source:activate()

await(work.file.move(place "draft.txt", place "final.txt"))
changed:wait()
await(work.file.move(place "final.txt", place "really_final.txt"))
changed:wait()
await(work.file.remove(place "really_final.txt"))
changed:wait()
await(work.file.remove(directory, { recursive = true }))
