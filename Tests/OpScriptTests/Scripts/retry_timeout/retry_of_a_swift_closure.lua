-- `retry` works for Swift closures too: here the file appears after the first attempt.
local path = os.tmpname()
os.remove(path)
local op = work.file.read(path)
op.retry = { attempts = 10000, delay = 0.002 }
OperationQueue():addOperation(op)
while (op.attempt or 0) < 2 do sleep(0.001) end
local file = assert(io.open(path, "w"))
file:write("there")
file:close()
op:waitUntilFinished()
assert(op.outcome == "succeeded" and op.attempt >= 2 and #op.result == 5)
os.remove(path)
