-- Strings are bytes, any: zeros and broken UTF-8 cross unchanged.
local bytes = {}
for i = 0, 255 do bytes[#bytes + 1] = string.char(i) end
local text = table.concat(bytes)
local expected = "40aff2e9d2d8922e47afd4648e6967497158785fbd1da870e7110266bf944880"
assert(await(work.digest.sha256(text)) == expected)
local path = os.tmpname()
await(work.file.write(path, text))
local file = assert(io.open(path, "rb"))
assert(file:read("a") == text)
file:close()
os.remove(path)
