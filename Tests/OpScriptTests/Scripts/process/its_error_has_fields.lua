-- The error of a program has its command line, both outputs in their order, and the fields status, signal, output, errorOutput.
local ok, problem = pawait(work.process.run { "sh", "-c", "echo out; sleep 0.05; echo '  bad' >&2; exit 3" })
assert(not ok and problem.code == "failed" and problem.status == 3 and problem.signal == nil)
assert(problem.output == "out\n" and problem.errorOutput == "  bad\n" and problem.other == nil)
local text = tostring(problem)
assert(text:find("ended with status 3:\nout\n  bad$"), text)
assert(text:find("'sh -c 'echo out;", 1, true) == 1, text)
assert(problem:upper() == text:upper(), "string methods still work")

ok, problem = pawait(work.process.shell("kill -9 $$"))
assert(not ok and problem.signal == 9 and problem.status == nil and problem.output == "")
