-- `op:signal(name)` sends a signal to the process group of the program; false if it does not run.
local server = work.process.shell("trap 'echo again' HUP; trap 'echo bye; exit 0' USR1; echo ready; while :; do sleep 0.01; done")
assert(server:signal("HUP") == false, "not started")
local lines = server:lines()
assert(lines() == "ready")
for _, name in ipairs { "HUP", "SIGHUP", "hup", 1 } do
    assert(server:signal(name) == true)
    assert(lines() == "again", name)
end
assert(server:signal("USR1") and lines() == "bye")
assert(server:waitUntilFinished(10) and server.outcome == "succeeded")
assert(server:signal("HUP") == false, "ended")
local ok, problem = pcall(server.signal, server, "HOP")
assert(not ok and tostring(problem):find("there is no signal 'HOP'", 1, true))
assert(not pcall(Gate().signal, Gate(), "HUP"))
