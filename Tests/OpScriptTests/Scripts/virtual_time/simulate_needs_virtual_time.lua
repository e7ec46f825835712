-- On the system's clock simulate is an error with the remedy.
local ok, problem = pcall(simulate, "sleep", {})
assert(not ok and problem.code == "misuse" and problem.message:find("run the script with --virtual", 1, true), problem)
