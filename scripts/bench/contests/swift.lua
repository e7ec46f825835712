-- Scheduling alone compared with Foundation, libdispatch, TaskGroup and oneTBB.
return function(places)
    local sizes = { small = { 10000, 100000 }, full = { 10000, 100000, 1000000 } }
    local quadratic = { small = { 2000 }, full = { 2000, 20000 } }

    local function swift(name, shape, largest)
        return { name = name, largest = largest, command = { places.bench, shape, "N", "R" } }
    end
    local function once(name, shape) return { name = name, command = { places.bench, shape, "N", "1" } } end
    local function tbb(shape)
        return {
            name = "oneTBB",
            lacks = not places.tbb and "libtbb-dev or g++" or nil,
            command = { places.tbb or "tbb", shape, "N", "R" },
        }
    end

    local function threads(count)
        return {
            id = "swift.threads." .. count, sizes = { small = { 100000 }, full = { 100000, 1000000 } }, memory = 1000,
            title = ("Independent operations, one by one from %d threads"):format(count),
            entries = {
                swift("Scheduling", "scheduling.threads." .. count),
                swift("libdispatch", "dispatch.threads." .. count),
            },
        }
    end
    local function wait(which, title)
        return {
            id = "swift.wait." .. which, sizes = { small = { 1000 }, full = { 10000 } }, isWhole = true, counted = "waits",
            title = "From adding an operation, all workers idle, to the start of its body: " .. title,
            entries = {
                once("Scheduling", "scheduling.wait." .. which),
                once("libdispatch", "dispatch.wait." .. which),
                once("Foundation", "foundation.wait." .. which),
            },
        }
    end

    return {
        {
            id = "swift.independent", sizes = sizes, growth = true, memory = 1000,
            title = "Independent operations, one by one from one thread",
            entries = {
                swift("Scheduling", "scheduling.independent"),
                swift("libdispatch", "dispatch.independent"),
                swift("Foundation", "foundation.independent", 100000),
            },
        },
        {
            id = "swift.blocks", sizes = sizes, growth = true, memory = 1000,
            title = "Independent blocks in one batch: closures, and no handle of any",
            entries = {
                swift("Scheduling", "scheduling.blocks"),
                tbb "independent",
                swift("TaskGroup", "taskgroup.batch"),
            },
        },
        {
            id = "swift.captured", sizes = sizes, memory = 1000,
            title = "The same where each closure also holds a number of its own",
            entries = { swift("Scheduling", "scheduling.captured"), tbb "captured" },
        },
        {
            id = "swift.batch", sizes = sizes, growth = true, memory = 1000,
            title = "Independent operations in one batch, each with a handle; oneTBB's have none",
            entries = {
                swift("Scheduling", "scheduling.batch"),
                tbb "independent",
                swift("Foundation", "foundation.batch", 100000),
            },
        },
        {
            id = "swift.chain", sizes = sizes, growth = true, memory = 1000,
            title = "A chain: each after the one before",
            entries = { swift("Scheduling", "scheduling.chain"), tbb "chain" },
        },
        {
            id = "swift.fan", sizes = sizes, growth = true, memory = 1000,
            title = "One, then all but two at once, then one",
            entries = { swift("Scheduling", "scheduling.fan"), tbb "fan" },
        },
        threads(2),
        threads(8),
        threads(64),
        wait("median", "the median"),
        wait("longest", "the longest"),
        {
            id = "swift.chain.foundation", sizes = quadratic, rounds = { small = 2, full = 1 }, slow = true,
            title = "A chain against Foundation, where it is quadratic",
            entries = { swift("Scheduling", "scheduling.chain"), once("Foundation", "foundation.chain") },
        },
        {
            id = "swift.fan.foundation", sizes = quadratic, rounds = { small = 2, full = 1 }, slow = true,
            title = "One, then all but two, then one, against Foundation",
            entries = { swift("Scheduling", "scheduling.fan"), once("Foundation", "foundation.fan") },
        },
    }
end
