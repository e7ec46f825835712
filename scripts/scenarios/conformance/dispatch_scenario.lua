-- Dispatch queues, groups and semaphores.
describe("a serial queue", function()
    it("runs one after the other, in the order of addition", function()
        local queue, log, inside = DispatchQueue { label = "serial" }, {}, 0
        for place = 1, 5 do
            queue:async(function()
                inside = inside + 1
                assert.equals(1, inside)
                sleep(0.001)
                log[#log + 1] = place
                inside = inside - 1
            end)
        end
        queue:sync(function() log[#log + 1] = "sync" end)
        assert.same({ 1, 2, 3, 4, 5, "sync" }, log)
    end)

    it("gives the results of what runs in it, and raises its errors", function()
        local queue = DispatchQueue { label = "serial" }
        assert.same({ 1, 2 }, { queue:sync(function() sleep(0.001) return 1, 2 end) })
        local ok, problem = pcall(queue.sync, queue, function() error("no", 0) end)
        assert.is_false(ok)
        assert.matches("no", tostring(problem))
    end)

    it("that is suspended twice is resumed twice", function()
        local queue, ran = DispatchQueue { label = "serial" }, false
        queue:suspend()
        queue:suspend()
        queue:async(function() ran = true end)
        queue:resume()
        sleep(0.002)
        assert.is_false(ran)
        queue:resume()
        queue:sync(function() end)
        assert.is_true(ran)
    end)
end)

describe("a concurrent queue", function()
    it("runs a barrier alone", function()
        local queue, inside, isAlone = DispatchQueue { label = "c", attributes = "concurrent" }, 0, false
        local group = DispatchGroup()
        local function reader()
            assert.is_false(isAlone)
            inside = inside + 1
            sleep(0.001)
            inside = inside - 1
        end
        local function writer()
            assert.equals(0, inside)
            isAlone = true
            sleep(0.001)
            isAlone = false
        end
        for place = 1, 9 do
            queue:async { place % 3 == 0 and writer or reader, flags = place % 3 == 0 and "barrier" or nil, group = group }
        end
        group:wait()
    end)

    it("starts in the order of addition", function()
        local queue, log = DispatchQueue { label = "c", attributes = "concurrent" }, {}
        local group = DispatchGroup()
        for place = 1, 5 do queue:async { function() log[#log + 1] = place sleep(0.001) end, group = group } end
        group:wait()
        assert.same({ 1, 2, 3, 4, 5 }, log)
    end)
end)

describe("a group of dispatch", function()
    it("is empty when as many have left as entered, and notifies once", function()
        local group, left, told = DispatchGroup(), 0, 0
        for _ = 1, 4 do
            group:enter()
            async(function()
                sleep(0.001)
                left = left + 1
                group:leave()
            end)
        end
        local finished = Gate "told"
        group:notify(DispatchQueue.main, function()
            told = told + 1
            assert.equals(4, left)
            finished:finish()
        end)
        assert.is_true(group:wait())
        await(finished)
        assert.equals(1, told)
        assert.has_error(function() group:leave() end)
    end)
end)

describe("a semaphore", function()
    it("lets in no more than its count, first come, first served", function()
        local semaphore, inside, order, all = DispatchSemaphore(2), 0, {}, {}
        for place = 1, 6 do
            all[place] = async(function()
                semaphore:wait()
                order[#order + 1] = place
                inside = inside + 1
                assert.is_true(inside <= 2)
                sleep(0.001)
                inside = inside - 1
                semaphore:signal()
            end)
        end
        await.all(all)
        assert.same({ 1, 2, 3, 4, 5, 6 }, order)
    end)

    it("loses no signal, in any order", function()
        local semaphore, got, all = DispatchSemaphore(0), 0, {}
        for _ = 1, 3 do
            all[#all + 1] = async(function()
                sleep(0.001)
                semaphore:wait()
                got = got + 1
            end)
            all[#all + 1] = async(function()
                sleep(0.001)
                semaphore:signal()
            end)
        end
        await.all(all)
        assert.equals(3, got)
    end)

    it("gives a signal at the end of a wait's time to this wait or to the next, and to one of them", function()
        local semaphore, got = DispatchSemaphore(0), {}
        local impatient = async(function() got[1] = semaphore:wait(0.005) end)
        local signaller = async(function()
            sleep(0.005)
            semaphore:signal()
        end)
        await.all { impatient, signaller }
        got[2] = semaphore:wait(0)
        assert.is_true(got[1] ~= got[2])
    end)

    it("gives no signal to one that is cancelled", function()
        local semaphore = DispatchSemaphore(0)
        local gone = async(function() semaphore:wait() end)
        local patient = async(function() semaphore:wait() return "got it" end)
        local signaller = async(function()
            sleep(0.001)
            semaphore:signal()
        end)
        local canceller = async(function()
            sleep(0.001)
            gone:cancel()
        end)
        await.all { signaller, canceller }
        gone:waitUntilFinished()
        -- Either it had its signal before, or the other one has it.
        if gone.outcome == "succeeded" or not patient.isFinished then semaphore:signal() end
        assert.equals("got it", await(patient))
        semaphore:wait(0)
    end)
end)
