-- Builds the C files of a folder as a library, in parallel, and only those that changed.
--
--     opscript --journal build/journal scripts/examples/build.lua src build -Iinclude
--
-- The first word is the folder, the second one the folder for the objects; the others are flags of the compiler. With
-- `--resume`, a build that was killed continues. The variable CC names another compiler than `cc`.

local source, out = arg[1] or "src", arg[2] or "build"
local flags = table.pack(table.unpack(arg, 3))
local cc = os.getenv "CC" or "cc"

-- As an output, the folder is made again if it was removed.
local folder = work.file.makeDirectory(out)
folder.inputs, folder.outputs = {}, { out }
await(folder)
local queue = OperationQueue { name = "build" }
local objects, archive = {}, out .. "/library.a"

for _, file in ipairs(await(work.file.list(source, { pattern = "*.c" }))) do
    local object = ("%s/%s.o"):format(out, file:match("([^/]+)%.c$"))
    local depfile = object .. ".d"
    local command = { cc, "-O1", "-MMD", "-MF", depfile }
    for _, flag in ipairs(flags) do command[#command + 1] = flag end
    for _, word in ipairs { "-c", source .. "/" .. file, "-o", object } do command[#command + 1] = word end
    local compile = work.process.run(command)
    compile.name = file
    compile.inputs = { source .. "/" .. file }
    compile.outputs = { object }
    compile.depfile = depfile
    objects[#objects + 1] = object
    queue:addOperation(compile)
end

-- The linker's inputs are outputs of the compilers, so it waits for them. `rc` keeps what is in the archive already, so it
-- is removed before.
local link = work.process.run { "sh", "-c", 'rm -f "$0" && ar rcsD "$0" "$@"', archive, table.unpack(objects) }
link.name = "library"
link.inputs = objects
link.outputs = { archive }
queue:addOperation(link)
queue:waitUntilAllOperationsAreFinished()
print(("%s: %s"):format(archive, link.isUpToDate and "up to date" or "built"))
