-- String methods and `..` work on an error value as on a string.
local _, err = pawait(Operation(function() error("Out Of Ink") end))
assert(err:find("Out Of Ink", 1, true))
assert(err:match("Out %a+ Ink$") == "Out Of Ink")
assert(err:upper():find("OUT OF INK$"))
assert(err:sub(-3) == "Ink")
assert(("<" .. err .. ">"):find("Out Of Ink>$"))
assert((err .. "!"):sub(-4) == "Ink!")
