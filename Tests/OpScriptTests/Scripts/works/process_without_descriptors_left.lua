-- A process that cannot be started for want of descriptors is an error with a reason, and nothing is left of it.
-- process: own
assert(await(work.process.run { "true" }).status == 0)

local files = {}
local function open()
    local file = io.open("/dev/null")
    files[#files + 1] = file
    return file
end
-- A large limit is not worth the time.
local limit = await(work.process.shell("ulimit -n")).output
if not tonumber(limit) or tonumber(limit) > 100000 then
    print("skipped")
    return
end
while open() do end
local refused, done = 0, 0
for _ = 1, 12 do
    local ok, result = pawait(work.process.run { "true" })
    if ok then
        assert(result.status == 0)
        done = done + 1
    else
        assert(result.message == "cannot run 'true': too many open files in this process (see ulimit -n)", result.message)
        refused = refused + 1
    end
    table.remove(files):close()
end
assert(refused >= 1 and done >= 1, refused .. " refused, " .. done .. " done")
