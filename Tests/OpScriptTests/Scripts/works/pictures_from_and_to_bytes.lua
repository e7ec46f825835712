-- A picture is made from the bytes of a file, and turned into them.
local bytes = "P6\n2 1\n255\n\1\2\3\4\5\6"
local image = await(work.image.decode(bytes))
assert(image.width == 2 and image.height == 1 and image.channels == 3)
local data = await(work.image.encode(image, "ppm"))
assert(data:string() == bytes)
local grey = await(work.image.encode(work.image.mono(work.image.decode(data)), "PGM"))
assert(grey:string():sub(1, 2) == "P5")
local png = await(work.image.encode(image, "png"))
assert(png:string():sub(2, 4) == "PNG" and await(work.image.decode(png)).width == 2)
local _, problem = pawait(work.image.decode("no picture"))
assert(tostring(problem):find("cannot decode an image of 10 bytes: not a JPEG", 1, true), problem)
_, problem = pawait(work.image.encode(image, "bmp"))
assert(tostring(problem):find("cannot encode an image as 'bmp'; the formats are", 1, true), problem)
