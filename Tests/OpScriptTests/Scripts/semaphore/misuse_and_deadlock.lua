-- A negative value and wrong kinds are errors; a wait that nothing can signal is a deadlock.
local function refused(code, text, fn, ...)
    local ok, err = pcall(fn, ...)
    assert(not ok and err.code == code and err:find(text, 1, true), err)
end
refused("argument", "at least 0 expected, got -1", DispatchSemaphore, -1)
refused("argument", "integer expected", DispatchSemaphore)
refused("argument", "integer expected", DispatchSemaphore, 1.5)
local semaphore = DispatchSemaphore(1)
assert(semaphore:wait())
refused("deadlock", "has no signal, and nothing is left that could give one", semaphore.wait, semaphore)
refused("argument", "NaN", semaphore.wait, semaphore, 0 / 0)
refused("misuse", "did you mean 'signal'", function() return semaphore.singal end)
assert(tostring(semaphore):find("^DispatchSemaphore '.*:%d+' %(0%)$"))
