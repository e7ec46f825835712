-- A server sends more than the memory, announced or not, and the limit is above it.
for _, path in ipairs { "/big/3000000000", "/endless" } do
    local isFine, problem = pawait(work.http.get(os.getenv("SERVER") .. path, { limit = 1 << 40 }))
    assert(not isFine and problem.code == "limit", tostring(problem))
end
print "end"
