-- simulate counts for operations that are made from then on, the last rule first, and can be taken back.
-- arguments: --virtual
simulate("file.*", { result = "all" })
simulate("file.read", { result = "one" })
local before = work.file.read("x")
simulate("file.read", { result = "two" })
assert(await(before) == "one")
assert(await(work.file.read("x")) == "two" and await(work.file.list("x")) == "all")
simulate("file.read", "registered")
assert(not pawait(work.file.read("no such file")))
simulate("digest.*", { mode = "real" })
simulate("sleep", { duration = 7 })
await.all { work.digest.md5("x"), work.sleep(100) }
assert(clock.now() == 7)
