-- All types are globals of a script, and fields of the table that `require "opscript"` returns.
local opscript = require "opscript"
for _, name in ipairs { "Operation", "BlockOperation", "InvocationOperation", "Gate", "GroupOperation",
    "OperationQueue", "Timer" } do
    assert(_G[name] ~= nil, name .. " is no global")
    assert(opscript[name] == _G[name], name .. " is another one in the module")
end
