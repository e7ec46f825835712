-- `work.process.run` returns `{ status, signal, output, errorOutput }`.
local result = await(work.process.run { "sh", "-c", "echo out; echo err >&2" })
assert(result.status == 0 and result.signal == nil)
assert(result.output == "out\n", result.output)
assert(result.errorOutput == "err\n", result.errorOutput)
