-- Declares an output and an input by random spellings, in both orders, and compares the dependency that comes of it
-- with what the kernel and the shell say: whether they lead to one file. Arguments: how many pairs, and a seed.
local pairsToTry, seed = tonumber(arg[1]), tonumber(arg[2])
math.randomseed(seed)

local function pick(list) return list[math.random(#list)] end

local function run(line)
  local program <close> = assert(io.popen(line))
  return program:read("a"):gsub("\n$", "")
end

-- It runs in a folder `home`.
local base = run("cd ..; pwd -P")
run [[
cd ..
mkdir -p home/d/e home/'w[1]' home/.h other/e
ln -sfn d home/l; ln -sfn ../other home/o; ln -sfn home h; ln -sfn "$PWD/home/d/e" home/d/deep
ln -sf a.x home/s.x; ln -sf ../d/b.x home/d/s.x; ln -sf s.x home/t.x; ln -sf "$PWD/home/a.x" other/s.x
]]
local folders = { ".", "d", "d/e", "w[1]", ".h", "l", "o", "o/e", "l/e", "d/deep", "l/deep", "../other", "../h", "../h/l",
  "d/../d", "l/../d", "d/deep/..", "o/../home", "../home", "../home/d", "new", "d/new" }
local names = { "a.x", "b.x", "s.x", "t.x", ".a.x", "b[1].x" }
local links = { ["s.x"] = true, ["t.x"] = true }
local patterns = { "*.x", "a*", "?.x", "[ab].x", "[!a].x", "*", ".*", "b*.x", "*[x]", "*\\.x" }
local folderPatterns = { "*", "d/*", "l*", "?", "[dl]", "o*/*", "*/*", ".h*", "../*", "w*" }

local function respell(path)
  local choice = math.random(6)
  if choice == 1 then return "./" .. path end
  if choice == 2 then return (path:gsub("/", "//", 1)) end
  if choice == 3 and path:sub(1, 1) ~= "/" then return base .. "/home/" .. path end
  if choice == 4 and path:sub(1, 1) ~= "/" then return base .. "/h/./" .. path end
  return path
end

local function isWild(path) return path:find("[*?%[]") ~= nil end

local function randomPath()
  local folder, name = pick(folders), pick(names)
  return respell(folder == "." and name or folder .. "/" .. name)
end

local function randomPattern()
  local folder = math.random(3) == 1 and pick(folderPatterns) or pick(folders)
  return respell(folder == "." and pick(patterns) or folder .. "/" .. pick(patterns))
end

local function quoted(text) return "'" .. text .. "'" end

-- The files to which paths and patterns lead, by device and inode.
local function inodes(paths, withoutLinks)
  local words = {}
  for _, path in ipairs(paths) do
    -- The shell leaves a pattern as it is if nothing matches it.
    words[#words + 1] = isWild(path) and path:gsub("[^%w*?%[%]!/.\\-]", "\\%0") or quoted(path)
  end
  local line = ("for f in %s; do [ -f \"$f\" ] %s && stat -Lc %%d:%%i \"$f\"; done"):format(
    table.concat(words, " "), withoutLinks and "&& [ ! -L \"$f\" ]" or "")
  local found = {}
  for line in run(line):gmatch("%S+") do found[line] = true end
  return found
end

local function meet(some, others)
  for inode in pairs(some) do
    if others[inode] then return true end
  end
  return false
end

local function make(paths)
  run("mkdir -p new d/new; for f in " .. table.concat(paths, " ") .. "; do [ -L \"$f\" ] || : > \"$f\"; done")
end

local function reset() run("rm -rf new d/new; find . ../other -type f -delete") end

-- All files that an output may be.
local all = {}
for _, folder in ipairs(folders) do
  for _, name in ipairs(names) do
    all[#all + 1] = quoted(folder .. "/" .. name)
  end
end

local cases, wrong = { connected = 0, apart = 0 }, 0
for number = 1, pairsToTry do
  local outputIsPattern, inputIsPattern = math.random(3) == 1, math.random(3) == 1
  local output, input
  repeat
    output = outputIsPattern and randomPattern() or randomPath()
  until outputIsPattern or not links[output:match("[^/]*$")]
  input = inputIsPattern and randomPattern() or randomPath()
  reset()
  local maker, reader = work.compute.primes(number), work.compute.primes(number)
  if math.random(2) == 1 then
    maker.outputs, reader.inputs = { output }, { input }
  else
    reader.inputs, maker.outputs = { input }, { output }
  end
  local isConnected = #reader.dependencies == 1
  maker.outputs, reader.inputs = nil, nil
  -- The files that the two could be about.
  make(isWild(output) and all or { quoted(output) })
  local isSame = meet(inodes({ output }, isWild(output)), inodes { input })
  cases[isSame and "connected" or "apart"] = cases[isSame and "connected" or "apart"] + 1
  -- Two patterns may have a name in common that no file has here, and a pattern may name a link.
  local mayDiffer = isWild(output) and (isWild(input) or links[input:match("[^/]*$")])
  if isConnected ~= isSame and not (mayDiffer and isConnected) then
    wrong = wrong + 1
    print(("seed %d, pair %d: output %q, input %q: one file: %s, connected: %s"):format(
      seed, number, output, input, tostring(isSame), tostring(isConnected)))
  end
end
print(("%d pairs lead to one file, %d do not, wrong: %d"):format(cases.connected, cases.apart, wrong))
