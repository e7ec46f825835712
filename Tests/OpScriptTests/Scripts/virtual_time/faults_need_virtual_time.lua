-- On the system's clock, faults cannot be injected.
for name, fn in pairs { fail = fail, delay = delay, hold = hold, release = release, cancelAt = cancelAt } do
    local ok, problem = pcall(fn, name == "cancelAt" and 5 or "file.read", name == "delay" and 1 or nil)
    assert(not ok and problem.message:find("'" .. name .. "' is for virtual time", 1, true), problem)
end
