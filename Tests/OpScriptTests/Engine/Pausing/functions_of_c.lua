-- A comparator and a function of gsub cannot be paused; the code behind them can.
local t = {} for i = 1, 3000 do t[i] = (i * 7919) % 3001 end
table.sort(t, function(a, b) local s = 0 for i = 1, 20 do s = s + i end return a < b end)
local s = ("x"):rep(500):gsub("x", function(c) local s = 0 for i = 1, 500 do s = s + i end return "y" end)
for i = 1, 100000 do s = s end
result = t[1] + t[3000] + #s
