-- On a directory, "write" means that an entry was made, removed or renamed; writing into an entry is not reported.
-- expect-stdout: made
-- expect-stdout: renamed
-- expect-stdout: removed
local folder <const> = await(work.file.temporary { directory = true })
local source = DispatchSource.fileSystem(folder, { "write", "delete" })
local told
source:setEventHandler(function()
    assert(source.data.write and not source.data.delete)
    told:finish()
end)
source:activate()
for _, step in ipairs { { "made", ": > F/a" }, { "renamed", "mv F/a F/b" }, { "removed", "rm F/b" } } do
    told = Gate(step[1])
    await(work.process.shell((step[2]:gsub("F/", folder .. "/"))))
    await(told)
    -- The two halves of a renaming may come apart.
    sleep(0)
    print(step[1])
end
source:cancel()
await(work.file.remove(folder))
