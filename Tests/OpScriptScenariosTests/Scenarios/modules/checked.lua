-- A module that uses Lua's own assert and sets a global.
local checked = { assert = assert }
function checked.number(value) return assert(type(value) == "number", "a number, please") and value end
function checked.leaveGlobal() leftByModule = true end
return checked
