-- `work.file.write(path, data)` gives the path; `work.file.read(path)` gives what was written.
local path = os.tmpname()
local data = "one\ntwo\0three\255"
assert(await(work.file.write(path, data)) == path)
local got = await(work.file.read(path))
assert(#got == #data and got:sub(1, -1) == data)
os.remove(path)
