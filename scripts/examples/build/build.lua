-- Builds a program from the C files of a folder: compiles what is older than its sources, then links.
local options = arguments {
    help = "Builds a program from the C files of a folder, in parallel.",
    { "--cc", default = os.getenv "CC" or "cc", help = "The compiler." },
    { "folder", default = ".", help = "The folder with the C files and headers." },
}
local folder, out = options.folder, options.folder .. "/out"
await(work.file.makeDirectory(out))

--- The date at which a file was changed; 0 if there is none.
local function date(path)
    local exists, status = pawait(work.file.stat(path))
    return exists and status.modified or 0
end

--- The date of the newest file with this ending.
local function newest(pattern)
    local date, names = date, await(work.file.list(folder, { pattern = pattern }))
    local result = 0
    for _, name in ipairs(names) do result = math.max(result, date(folder .. "/" .. name)) end
    return result, names
end

local headers = newest "*.h"
local program, objects, steps = out .. "/program", {}, {}
for _, name in ipairs(select(2, newest "*.c")) do
    local source, object = folder .. "/" .. name, out .. "/" .. name:gsub("c$", "o")
    objects[#objects + 1] = object
    if date(object) < math.max(headers, date(source)) then
        local step = work.process.run { options.cc, "-Wall", "-c", source, "-o", object }
        step.name = "compile " .. name
        steps[#steps + 1] = OperationQueue.default:addOperation(step)
    end
end
if #steps == 0 and date(program) > 0 then return print("up to date: " .. program) end
local link = work.process.run { options.cc, "-o", program, table.unpack(objects) }
link.name = "link"
for _, step in ipairs(steps) do link:addDependency(step) end
link.completionBlock = function() if link.outcome == "succeeded" then print("built " .. program) end end
OperationQueue.default:addOperation(link)
