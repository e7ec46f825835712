-- With --strict, a call that no seed controls is an error that names it and the replacement.
-- arguments: --virtual --strict
for name, call in pairs {
    ["io.popen"] = function() io.popen("true") end,
    ["os.execute"] = function() os.execute("true") end,
    ["os.tmpname"] = os.tmpname,
    ["a source of signals"] = function() DispatchSource.signal("SIGUSR1") end,
} do
    local ok, problem = pcall(call)
    assert(not ok and problem.code == "misuse", problem)
    assert(problem.message:find(name, 1, true) and problem.message:find("refused in a strict run", 1, true), problem)
end
