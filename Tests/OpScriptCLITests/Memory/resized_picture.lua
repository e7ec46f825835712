-- One pixel, made as large as a picture may be.
local image = await(work.image.decode("P5 1 1 255\n\0"))
local isFine, problem = pawait(work.image.resize(image, 16000, 16000))
assert(not isFine and problem.code == "limit", tostring(problem))
print "end"
