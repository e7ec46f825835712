-- Compares builds with those of ninja: after random edits of a random project, the same steps have to run.
--
--     opscript differential.lua OPSCRIPT FOLDER [COUNT [SEED]]
--
-- Ninja compares times, and OpScript contents. So after a touch, or if an output was removed and is made again as it was,
-- ninja runs steps whose inputs are all as they were; these are left out. SEED makes the same project and edits again.

local command, folder = assert(arg[1]), assert(arg[2])
local count, seed = tonumber(arg[3] or 200), tonumber(arg[4] or os.time())
local place = arg[0]:match("^(/.*)/") or os.getenv "PWD" .. "/" .. (arg[0]:match("^(.*)/") or ".")
math.randomseed(seed)
local ours, theirs = folder .. "/opscript", folder .. "/ninja"

local function read(path)
    local file <close> = io.open(path)
    return file and file:read("a")
end

local function write(path, text)
    local file <close> = assert(io.open(path, "w"))
    file:write(text)
end

local function both(change) for _, root in ipairs { ours, theirs } do change(root) end end

-- The clock of the kernel for files is coarse: two changes within this time have the same time.
local function pass() sleep(0.05) end

-- The project: sources and headers, which are text, and steps.
local texts, sources, headers, steps = {}, {}, {}, {}
-- The contents of files: those written since the last build, and before.
local written, contents = {}, {}

local function pick(list) return list[math.random(#list)] end

local function save(name)
    local text = texts[name]
    local lines = { "value " .. text.value, "comment " .. text.comment }
    for _, header in ipairs(text.includes) do lines[#lines + 1] = "include " .. header end
    written[name] = table.concat(lines, "\n") .. "\n"
    both(function(root) write(root .. "/" .. name, written[name]) end)
end

local function someHeaders(list)
    local chosen = {}
    for _, header in ipairs(list) do
        if math.random() < 0.3 then chosen[#chosen + 1] = header end
    end
    return chosen
end

local function makeProject()
    for i = 1, 4 do
        headers[i] = ("h%d.h"):format(i)
        texts[headers[i]] = { value = i, comment = 0, includes = {} }
    end
    for i = 1, 8 do
        sources[i] = ("s%d.c"):format(i)
        texts[sources[i]] = { value = i, comment = 0, includes = someHeaders(headers) }
    end
    for i = 1, 14 do
        local step = { name = "step" .. i, version = 1, inputs = {}, after = {}, output = ("o%d"):format(i) }
        local files = {}
        for _ = 1, math.random(3) do
            local earlier = i > 1 and math.random() < 0.5 and steps[math.random(i - 1)]
            local file = earlier and earlier.output .. (math.random() < 0.3 and ".second" or "") or pick(sources)
            if not files[file] then table.insert(step.inputs, file) end
            files[file] = true
        end
        steps[i] = step
    end
    -- The last source includes a file that the first step makes; its readers have to wait for that.
    local generated = sources[#sources]
    steps[1].inputs = { sources[1] }
    texts[generated].includes = { steps[1].output }
    for i = 2, #steps do
        for _, input in ipairs(steps[i].inputs) do
            if input == generated then steps[i].after = { steps[1].name } end
        end
    end
    for name in pairs(texts) do save(name) end
end

local function words(step)
    local list = { "sh", place .. "/step.sh", "v" .. step.version, step.name, step.output }
    return table.move(step.inputs, 1, #step.inputs, #list + 1, list)
end

local function quoted(list)
    local items = {}
    for i, item in ipairs(list) do items[i] = ("%q"):format(item) end
    return "{ " .. table.concat(items, ", ") .. " }"
end

local function saveGraph()
    local lua, ninja = { "return {" }, {}
    for _, step in ipairs(steps) do
        local outputs = { step.output, step.output .. ".second" }
        lua[#lua + 1] = ("{ name = %q, command = %s, inputs = %s, outputs = %s, after = %s },"):format(
            step.name, quoted(words(step)), quoted(step.inputs), quoted(outputs), quoted(step.after)
        )
        ninja[#ninja + 1] = ("rule %s\n  command = %s\n  depfile = %s.d\n  deps = gcc\n  restat = 1"):format(
            step.name, table.concat(words(step), " "), step.output
        )
        ninja[#ninja + 1] = ("build %s: %s %s%s"):format(
            table.concat(outputs, " "), step.name, table.concat(step.inputs, " "),
            #step.after > 0 and " || " .. steps[1].output or ""
        )
    end
    lua[#lua + 1] = "}"
    write(ours .. "/graph.lua", table.concat(lua, "\n"))
    write(theirs .. "/build.ninja", table.concat(ninja, "\n") .. "\n")
end

-- The edits. Each returns its description, and whether it removed an output.
local edits = {}

function edits.value()
    local name = pick(math.random() < 0.5 and sources or headers)
    texts[name].value = texts[name].value + 1
    save(name)
    return "value of " .. name
end

function edits.comment()
    local name = pick(math.random() < 0.5 and sources or headers)
    texts[name].comment = texts[name].comment + 1
    save(name)
    return "comment of " .. name
end

function edits.includes()
    local name = sources[math.random(#sources - 1)]
    texts[name].includes = someHeaders(headers)
    save(name)
    return "includes of " .. name
end

function edits.touch()
    local name = pick(math.random() < 0.5 and sources or headers)
    save(name)
    return "touch " .. name
end

function edits.remove()
    local name = pick(steps).output .. (math.random() < 0.3 and ".second" or "")
    both(function(root) os.remove(root .. "/" .. name) end)
    return "remove " .. name, true
end

function edits.command()
    local step = pick(steps)
    step.version = step.version + 1
    saveGraph()
    return "command of " .. step.name
end

local kinds = {}
for kind in pairs(edits) do kinds[#kinds + 1] = kind end
table.sort(kinds)

-- Everything on which a step's outputs depend.
local function signature(step)
    local parts = words(step)
    for _, input in ipairs(step.inputs) do
        local text = read(ours .. "/" .. input) or "missing"
        parts[#parts + 1] = text
        for header in text:gmatch("include (%S+)") do parts[#parts + 1] = read(ours .. "/" .. header) or "missing" end
    end
    return table.concat(parts, "\0")
end

local function isMade(step)
    return read(ours .. "/" .. step.output) and read(ours .. "/" .. step.output .. ".second") and true
end

local function build(root, line)
    os.remove(root .. "/log")
    line.cwd, line.check = root, false
    local result = await(work.process.run(line))
    if result.status ~= 0 then error(("%s: %s%s"):format(line[1], result.output, result.errorOutput), 0) end
    local ran = {}
    for name in (read(root .. "/log") or ""):gmatch("(%w+)\n") do
        if ran[name] then error(name .. " ran twice", 0) end
        ran[name] = true
    end
    return ran
end

local function list(set)
    local names = {}
    for name in pairs(set) do names[#names + 1] = name end
    table.sort(names)
    return table.concat(names, " ")
end

local last, equal, runs = {}, 0, 0
local function round(description, mayRunMore)
    for name, text in pairs(written) do
        mayRunMore = mayRunMore or contents[name] == text
        contents[name], written[name] = text, nil
    end
    local wasMade = {}
    for _, step in ipairs(steps) do wasMade[step.name] = isMade(step) end
    pass()
    local mine = build(ours, { command, "-q", "--journal", "journal", place .. "/job.lua" })
    local others = build(theirs, { "ninja", "-j2" })
    local needed = {}
    for _, step in ipairs(steps) do
        local now = signature(step)
        if now ~= last[step.name] or not wasMade[step.name] then needed[step.name] = true end
        last[step.name] = now
        for _, output in ipairs { step.output, step.output .. ".second" } do
            if read(ours .. "/" .. output) ~= read(theirs .. "/" .. output) then
                error(("after '%s' the two '%s' differ"):format(description, output), 0)
            end
        end
    end
    for name in pairs(others) do
        if mayRunMore and not needed[name] then others[name] = nil end
    end
    local a, b, c = list(mine), list(others), list(needed)
    if a ~= b or a ~= c then
        error(("after '%s' ran: %s\nby ninja: %s\nneeded: %s"):format(description, a, b, c), 0)
    end
    for _ in pairs(mine) do runs = runs + 1 end
    equal = equal + (mayRunMore and 0 or 1)
end

for _, root in ipairs { ours, theirs } do await(work.file.makeDirectory(root)) end
makeProject()
saveGraph()
local ok, problem = pcall(function()
    round("the first build")
    for _ = 1, count do
        pass()
        -- One at a time: ninja 1.11 runs a step twice if two of its files have changed.
        round(edits[pick(kinds)]())
    end
end)
if not ok then
    io.stderr:write(("seed %d: %s\n"):format(seed, problem))
    os.exit(1)
end
print(("edits: %d, steps run: %d; the same as ninja, in %d cases without leaving out any"):format(count, runs, equal))
