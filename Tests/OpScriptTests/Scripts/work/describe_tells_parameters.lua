-- `work.describe("file.read")` returns parameters, types and one line of documentation, or nil if unknown.
local description = work.describe("file.read")
assert(type(description) == "table" and next(description) ~= nil)
local texts = {}
local function collect(value)
    if type(value) == "table" then
        for key, inner in pairs(value) do
            collect(key)
            collect(inner)
        end
    else
        texts[#texts + 1] = tostring(value)
    end
end
collect(description)
local all = table.concat(texts, "\n")
assert(all:find("path", 1, true) and all:find("string", 1, true), all)
assert(work.describe("file.raed") == nil and work.describe("") == nil)
