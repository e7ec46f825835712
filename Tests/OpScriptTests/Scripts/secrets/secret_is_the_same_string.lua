-- `secret(value)` gives the same string, which programs and works receive; the script's own output shows it.
-- expect-stdout: hunter2-hunter2
-- expect-stdout: same
local token = secret("hunter2-hunter2")
assert(token == "hunter2-hunter2" and type(token) == "string" and #token == 15)
local result = await(work.process.run { "printenv", "GIVEN", env = { GIVEN = token } })
assert(result.output == token .. "\n")
assert(await(work.process.shell("echo " .. token)).output == token .. "\n")
assert(await(work.digest.sha256(token)) == await(work.digest.sha256("hunter2-" .. "hunter2")))
print(token)

-- A name and a description are the script's own, too.
local op = Operation { name = "fetch " .. token, work = "process.run", args = { { "true", token } } }
assert(op.name == "fetch " .. token)
local again = Operation(op:describe())
assert(again.name == op.name)
await(again)
print("same")
