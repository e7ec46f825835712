-- The limit of a work is a failure of its operation: the status of the command is 1, not 4.
-- expect-status: 1
-- expect-stderr: 'head' wrote more than 10 bytes
OperationQueue():addOperation(work.process.run { "head", "-c", "100", "/dev/zero", limit = 10 })
print(await(work.process.run { "echo", "continues" }).output)
