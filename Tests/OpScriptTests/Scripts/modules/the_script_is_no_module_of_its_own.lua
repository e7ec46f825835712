-- A program may have the name of the library that it uses: bin/tool.lua and src/tool.lua.
local name = "the_script_is_no_module_of_its_own"
local isFound, message = pcall(require, name)
assert(not isFound and message:find("module '" .. name .. "' not found", 1, true), message)

local path = await(work.file.temporary { suffix = ".lua" })
await(work.file.write(path, "return ..."))
package.path = path .. ";" .. package.path
assert(require(name) == name)
await(work.file.remove(path))
