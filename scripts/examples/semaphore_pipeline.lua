#!/usr/bin/env opscript
-- A pipeline whose length is bounded by a semaphore: pictures are read, blurred and digested, step by step, and never
-- more than three of them are in memory at a time, for any number of pictures.
--
--     opscript semaphore_pipeline.lua [COUNT]
--
-- Each step is a dispatch queue of its own. A step passes its result to the next queue; a picture that enters the pipeline takes
-- a signal of the semaphore, and one that leaves it gives the signal back.

local count = math.tointeger(tonumber(arg[1] or 8))
if not count or count < 0 or #arg > 1 then
    io.stderr:write("usage: opscript semaphore_pipeline.lua [COUNT]\n")
    os.exit(2)
end

local limit = 3
local folder = arg[0]:match("^(.*)/[^/]*$") or "."
local picture = folder .. "/hopper.ppm"

local entrance = DispatchSemaphore(limit)
local reading = DispatchQueue { label = "reading" }
local blurring = DispatchQueue { label = "blurring", attributes = "concurrent" }
local digesting = DispatchQueue { label = "digesting" }
local pipeline = DispatchGroup()

local inside, most = 0, 0
local digests = {}

local function leave(number, digest)
    digests[number] = digest
    inside = inside - 1
    entrance:signal()
    pipeline:leave()
end

-- Errors must not leave the pipeline shorter than it was: a picture that fails leaves it too.
local function step(queue, number, body)
    queue:async(function()
        local ok, problem = pcall(body)
        if not ok then
            leave(number, nil)
            error(problem, 0)
        end
    end)
end

local function send(number)
    step(reading, number, function()
        local image = await(work.image.read(picture))
        step(blurring, number, function()
            local blurred = await(work.image.blur(work.image.resize(image, 32, 32), number))
            step(digesting, number, function()
                local scratch = await(work.file.temporary())
                local file = await(work.image.write(blurred, scratch .. ".ppm"))
                local digest = await(work.digest.file("sha256", file))
                await.all { work.file.remove(file), work.file.remove(scratch) }
                leave(number, digest)
            end)
        end)
    end)
end

for number = 1, count do
    entrance:wait()                         -- the fourth waits here until one has come out
    inside = inside + 1
    most = math.max(most, inside)
    pipeline:enter()
    send(number)
end
pipeline:wait()

for number = 1, count do print(number, digests[number] and digests[number]:sub(1, 12) or "failed") end
print(("%d pictures, at most %d at a time"):format(count, most))
