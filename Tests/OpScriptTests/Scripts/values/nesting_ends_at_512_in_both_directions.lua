-- `json.encode` takes each value that `json.decode` returns; the error about a deeper one has the limit and a short path.
local function nested(depth) return ("["):rep(depth) .. ("]"):rep(depth) end
for _, depth in ipairs { 1, 200, 512 } do
    assert(json.encode(json.decode(nested(depth))) == nested(depth), depth)
    assert(await(work.json.encode(await(work.json.decode(nested(depth))))) == nested(depth), depth)
end
assert(not pcall(json.decode, nested(513)))
local ok, problem = pcall(json.encode, { json.decode(nested(512)) })
assert(not ok, "513 levels were encoded")
assert(tostring(problem):find("nested deeper than 512 levels", 1, true), problem)
assert(#tostring(problem) < 250, problem)
