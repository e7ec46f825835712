-- opscript --report docs/pictures/first-job.svg docs/pictures/first-job.lua
local photo = work.image.read("scripts/examples/hopper.ppm")  -- not started yet
local mono  = work.image.mono(photo)             -- takes the result of `photo`
local small = work.image.resize(photo, 64, 64)   -- so does this one

local report = Operation { name = "report", main = function(report)
    for _, saved in ipairs(report.dependencies) do print("saved", saved.result) end
end }
report:addDependency(work.image.write(mono, "mono.pgm"))
report:addDependency(work.image.write(small, "small.ppm"))

await(report)
