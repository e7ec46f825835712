-- The head of a picture announces more than the memory, and the file is as long as that.
await(work.process.shell("printf 'P5 60000 60000 255\n' >large.pgm; truncate -s 4G large.pgm"))
local isFine, problem = pawait(work.image.read("large.pgm"))
assert(not isFine and problem.code == "limit", tostring(problem))
print "end"
