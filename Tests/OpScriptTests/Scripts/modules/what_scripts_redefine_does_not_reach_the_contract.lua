-- Functions of the contract do not use a script's replacements of Lua's own functions or of the contract's.
local assert, require, perform, map = assert, require, DispatchQueue.concurrentPerform, OperationQueue().map
local queue, find, loaded = OperationQueue(), string.find, package.loaded
local pcall = pcall
local called
for _, name in ipairs { "error", "ipairs", "next", "pairs", "setmetatable", "tostring", "type", "pawait", "sleep", "Gate" } do
    _G[name] = function()
        called = name
    end
end
table.concat, table.pack, table.unpack, math.type = nil, nil, nil, nil
loaded.opscript.pawait, loaded.opscript.Gate = nil, nil

local count = 0
perform(3, function()
    count = count + 1
end)
assert(count == 3)
local doubled = map(queue, { 1, 2 }, function(number)
    return 2 * number
end)
assert(doubled[1] == 2 and doubled[2] == 4)
assert(require("modules.greeting").word == "hello")
local ok, problem = pcall(require, "modules.missing")
assert(not ok and find(problem.message or problem, "module 'modules.missing' not found", 1, true))
assert(not called, called)
