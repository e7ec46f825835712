-- Each mistake has an error that names it.
local function refused(part, f, ...)
    local ok, err = pcall(f, ...)
    assert(not ok and tostring(err):find(part, 1, true), tostring(err))
end
refused("no cluster 'slrm' (did you mean 'slurm'?)", OperationQueue, { on = "slrm" })
refused("'cpus' of a queue is for a cluster: give on = \"slurm\" with it", OperationQueue, { cpus = 2 })
refused("digits and K, M, G or T expected, as in '2G', got '2X'", OperationQueue, { on = "slurm", memory = "2X" })
refused("at most 'max' expected, which is 2, got 3", OperationQueue, { on = "slurm", pilots = { min = 3, max = 2 } })
refused("a pilot has one node, got 2", OperationQueue, { on = "slurm", nodes = 2, pilots = { max = 2 } })
refused("a name without blanks expected", OperationQueue, { on = "slurm", partition = "a b" })
refused("no option 'cores'", OperationQueue, { on = "slurm", cores = 2 })
refused("cluster has no option 'cpu' (did you mean 'cpus'?)", function()
    work.compute.primes(1).cluster = { cpu = 1 }
end)

local q = OperationQueue { on = "slurm" }
local function fails(part, op)
    q:addOperation(op)
    local ok, err = pawait(op)
    assert(not ok and tostring(err):find(part, 1, true), tostring(err))
end
local image = await(work.image.read "picture.ppm")
refused("its argument 1 is an Image, which cannot be sent to a node", function()
    q:addOperation(work.image.mono(image))
end)
local read = work.image.read "picture.ppm"
fails("the result is an object, which cannot be sent from a node", read)

local nowhere = work.process.run { "true" }
nowhere.cluster = { partition = "nowhere" }
fails("Invalid partition name specified", nowhere)
local large = work.process.run { "true" }
large.cluster = { cpus = 1000 }
fails("Slurm can never start the job", large)
print "fine"
