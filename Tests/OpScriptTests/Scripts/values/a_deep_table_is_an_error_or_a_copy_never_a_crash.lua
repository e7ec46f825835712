-- Nothing a script does can trap the host: a table of enormous depth raises or crosses, and the run continues.
local value = {}
for _ = 1, 200000 do value = { value } end
local ok, err = pcall(function()
    local op = work.json.encode(value)
    return pawait(op)
end)
assert(ok or tostring(err):find("json.encode", 1, true), tostring(err))
assert(await(work.json.encode { 1 }) == "[1]")
