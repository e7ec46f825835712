-- One timer is one Lua value.
local given = Gate "given"
local timer = Timer.scheduledTimer(0.001, false, function(self) given:finish(self) end)
assert(rawequal(await(given), timer))
