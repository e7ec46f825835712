-- The default name of an operation is the work's name.
assert(work.sleep(0).name == "sleep")
assert(work.file.read("x").name == "file.read")
assert(Operation { work = "json.decode", args = { "[]" } }.name == "json.decode")
