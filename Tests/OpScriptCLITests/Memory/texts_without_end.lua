-- Lua's own memory: an error that the script can catch, and afterwards the memory is there again.
assert(not pcall(string.rep, "x", 1 << 31))
local isFine, problem = pcall(function()
    local text = "x"
    while true do text = text .. text end
end)
assert(not isFine and tostring(problem):find "memory", tostring(problem))
isFine, problem = pcall(function()
    local texts = {}
    while true do texts[#texts + 1] = ("x"):rep(1 << 20) end
end)
assert(not isFine and tostring(problem):find "memory", tostring(problem))
assert(#await(work.process.run { "echo", "x" }).output == 2)
print "end"
