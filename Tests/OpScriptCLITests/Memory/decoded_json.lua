-- Many small values: their memory is a multiple of the text.
local text = "[" .. ("[],"):rep(200000) .. "1]"
local isFine, problem = pawait(work.json.decode(text))
assert(isFine or problem.code == "limit", tostring(problem))
isFine, problem = pcall(json.decode, text)
assert(isFine or problem.code == "limit", tostring(problem))
print "end"
