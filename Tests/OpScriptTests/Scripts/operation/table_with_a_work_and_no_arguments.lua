-- `Operation { work = … }` needs no arguments.
local op = Operation { work = "file.temporary" }
assert(op and op.name == "file.temporary")
work.file.remove(await(op)):start()
assert(Operation { work = "file.temporary", args = {} }.state == "pending")
