-- `#work`, `pairs(work)` list all works.
local count, known = 0, {}
for name in pairs(work) do
    count = count + 1
    assert(type(name) == "string")
    known[name] = true
end
assert(count > 10 and #work == count, #work .. " and " .. count)
for _, name in ipairs {
    "sleep", "block", "file.read", "file.write", "process.run", "json.encode", "image.mono", "digest.sha256",
    "compute.primes",
} do
    assert(known[name], name .. " is not listed")
end
