-- After `invalidate`, no call comes any more, not even for earlier changes.
local progress, told = Progress(2), 0
local observation = progress:observe("fractionCompleted", function() told = told + 1 end)
progress.completedUnitCount = 1
observation:invalidate()
sleep(0)
progress.completedUnitCount = 2
sleep(0)
assert(told == 0 and not observation.isValid)
