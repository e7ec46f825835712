-- The texts that OpScript makes of errors and objects have dots in place of a secret; data of the script has none.
-- expect-stdout: ok
local token = secret("hunter2-hunter2")
local op = work.process.shell("echo " .. token .. "; echo " .. token .. " >&2; exit 3")
local ok, e = pawait(op)
assert(not ok and not tostring(e):find("hunter2") and tostring(e):find("'echo •••; echo ••• >&2; exit 3' ended", 1, true))
assert(e.message == tostring(e) and e.code == "failed")
-- The fields of the error are what the program wrote.
assert(e.output == token .. "\n" and e.errorOutput == token .. "\n")

local raising = Operation { name = "raise " .. token, main = function() error("bad " .. token) end, allowsFailure = true }
await.settled { raising }
assert(raising.error.message:find("bad •••$") and not raising.error.traceback:find("hunter2"))
assert(tostring(raising) == "Operation 'raise •••' (failed)", tostring(raising))
assert(tostring(OperationQueue { name = "q " .. token }):find("'q •••'", 1, true))

-- An error that never leaves the script's own code is a string of its own.
local ok2, text = pcall(error, "bad " .. token, 0)
assert(text == "bad hunter2-hunter2")
print("ok")
