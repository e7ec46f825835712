-- An unknown work, an unknown option and a bad duration in simulate are errors that say so.
-- arguments: --virtual
local function refusal(...)
    local ok, problem = pcall(simulate, ...)
    assert(not ok)
    return problem.code .. ": " .. problem.message
end
local function expect(text, ...)
    local got = refusal(...)
    assert(got:find(text, 1, true), got)
end
expect("misuse: ", "htp.get", {})
expect("there is no work 'htp.get' (did you mean 'http.get'?)", "htp.get", {})
expect("no work matches 'nothing.*'", "nothing.*", {})
expect("simulate has no option 'durations'", "file.read", { durations = 1 })
expect("bad value for 'duration'", "file.read", { duration = "long" })
expect("bad value for 'duration'", "file.read", { duration = -1 })
expect("bad argument #2 to 'simulate'", "file.read")
expect("bad argument #2 to 'simulate'", "file.read", "slowly")
expect("bad argument #1 to 'simulate'", 7, {})
expect("has no duration, result or error", "file.read", { mode = "real", duration = 1 })
expect("cannot run instantly", "process.run", "instant")
simulate("file.read", function() return { duration = "x" } end)
local ok, problem = pawait(work.file.read("x"))
assert(not ok and problem.message:find("bad value for 'duration'"), problem)
