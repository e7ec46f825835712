-- Modules may require each other as deeply as Lua functions may call each other.
local last = 2000
for number = 1, last do
    package.preload["module" .. number] = function()
        return number == last and { last } or require("module" .. number + 1)
    end
end
local first = require "module1"
assert(first[1] == last)
assert(require("module" .. last) == first)
