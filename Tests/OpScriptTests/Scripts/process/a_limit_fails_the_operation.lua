-- More output than the limit fails the operation with code `limit`, and the run continues.
local function refused(op)
    local ok, error = pawait(op)
    assert(not ok and error.code == "limit", tostring(error))
    return error.message
end

local noisy = refused(work.process.run { "yes", limit = 10000 })
assert(noisy:find("'yes' wrote more than 10000 bytes", 1, true), noisy)
refused(work.process.shell("yes >&2", { limit = 1 << 20 }))
-- The end of the program, and its status, do not matter.
refused(work.process.shell("printf '%2000s' x; exit 3", { limit = 1999 }))
-- The limit is that of each output.
local both = await(work.process.shell("printf '%2000s' x; printf '%2000s' y >&2", { limit = 2000 }))
assert(#both.output == 2000 and #both.errorOutput == 2000)

local path = os.tmpname()
await(work.file.write(path, ("x"):rep(5000)))
local large = refused(work.file.read(path, { limit = 4999 }))
assert(large == ("cannot read '%s': it holds more than 4999 bytes; set the option 'limit'"):format(path), large)
assert(#await(work.file.read(path, { limit = 5000 })) == 5000)
refused(work.file.read("/dev/zero", { limit = 3 << 20 }))
os.remove(path)
