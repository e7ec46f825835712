-- A Progress counts units; its fraction never exceeds 1 and never decreases, and each change is delivered in its turn.
-- expect-stdout: 0.3 0.5 1.0
local progress = Progress(10)
local told = {}
progress:observe("fractionCompleted", function(change)
    assert(change.object == progress and change.key == "fractionCompleted" and change.old < change.new)
    told[#told + 1] = change.new
end)
progress.completedUnitCount = 3
assert(progress.fractionCompleted == 0.3 and progress.localizedDescription == "30% completed")
progress.completedUnitCount = 5
progress.completedUnitCount = 2
assert(progress.completedUnitCount == 5 and progress.fractionCompleted == 0.5)
progress.totalUnitCount = 100
assert(progress.fractionCompleted == 0.5)
progress.completedUnitCount = 500
assert(progress.fractionCompleted == 1)
sleep(0)
print(table.concat(told, " "))
assert(Progress().fractionCompleted == 0 and Progress(0).totalUnitCount == 0)
progress.localizedDescription = "nearly there"
assert(progress.localizedDescription == "nearly there")
