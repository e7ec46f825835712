-- Adds up the second column of many CSV files, several files at once, and writes the sums, the largest first.
local options = arguments {
    help = "Adds up the second column of CSV files.",
    { "--output", default = "sums.csv", help = "The file for the sums." },
    { "folder", help = "The folder with the CSV files." },
}
local queue = OperationQueue { name = "files" }
local names = await(work.file.list(options.folder, { pattern = "*.csv" }))
local sums = queue:map(names, function(name)
    local path = options.folder .. "/" .. name
    local sum = await(work.process.run { "awk", "-F,", "NR > 1 { sum += $2 } END { print sum + 0 }", path })
    return { name = name, sum = tonumber(sum.output) }
end)
table.sort(sums, function(a, b) return a.sum > b.sum end)
local lines = {}
for place, entry in ipairs(sums) do lines[place] = entry.name .. "," .. entry.sum .. "\n" end
await(work.file.write(options.output, table.concat(lines)))
print(#names .. " files, largest: " .. (sums[1] and sums[1].name or "none"))
