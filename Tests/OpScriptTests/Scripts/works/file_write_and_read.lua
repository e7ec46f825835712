-- `work.file.write(path, data)` returns the path; `work.file.read(path)` returns the written bytes.
local path = os.tmpname()
local data = "one\ntwo\0three\255"
assert(await(work.file.write(path, data)) == path)
local got = await(work.file.read(path))
assert(#got == #data and got:sub(1, -1) == data)
os.remove(path)
