-- Arguments after the function and options that do not exist are errors with the place of options.
local op = Gate "observed"
local function refused(text, ...)
    local ok, problem = pcall(op.observe, op, ...)
    assert(not ok and tostring(problem):find(text, 1, true), problem)
end
refused("options come before the function", "isFinished", print, "initial")
refused("\"initial\" or \"prior\" expected, got", "isFinished", { "initail" }, print)
refused("\"initial\" or \"prior\" expected, got", "isFinished", {}, print)
refused("'initial' is for one property", "*", { "initial" }, print)
refused("function expected", "isFinished", { "initial" })
local ok, problem = pcall(OperationQueue().observe, OperationQueue(), "isSuspended", print, "new")
assert(not ok and tostring(problem):find("no value expected", 1, true), problem)
local progress = Progress(1)
ok, problem = pcall(progress.observe, progress, "isCancelled", print, "initial")
assert(not ok and tostring(problem):find("options come before the function", 1, true), problem)
