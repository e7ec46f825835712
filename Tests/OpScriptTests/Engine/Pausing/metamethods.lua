-- Metamethods, and errors that pass through them.
local count = 0
local t = setmetatable({}, { __index = function(_, k)
    for i = 1, 100 do count = count + 1 end
    if k % 10 == 0 then error("ten") end
    return k
end })
for i = 1, 1000 do pcall(function() return t[i] end) end
result = count
