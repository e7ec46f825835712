-- One text that is as large as the memory allows, and many small ones.
local isFine, problem = pcall(function()
    local text = ("x"):rep(80 << 20)
    print(text)
    io.write(text, text)
end)
assert(isFine or tostring(problem):find "memory", tostring(problem))
for _ = 1, 2000 do print(("x"):rep(2000)) end
print "end"
