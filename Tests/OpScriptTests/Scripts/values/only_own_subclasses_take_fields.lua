-- Instances of one's own subclasses take fields of their own; others do not.
local Job = Operation:subclass "Job"
function Job:main() return self.count end
local job = Job {}
job.count = 3
job.list = { 1, 2 }
assert(job.count == 3 and job.list[2] == 2)
assert(await(job) == 3)
assert(not pcall(function() Operation(function() end).count = 1 end))
assert(not pcall(function() OperationQueue().count = 1 end))
