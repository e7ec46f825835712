local t = {}
for i = 1, 300000 do t[i % 100] = i * 2 end
result = t[0] + t[99]
