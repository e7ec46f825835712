-- Tables of measurements, in Markdown.
local statistics = require "statistics"

local report = {}

function report.count(n)
    local text = tostring(n)
    repeat
        local replaced
        text, replaced = text:gsub("^(%d+)(%d%d%d)", "%1 %2")
    until replaced == 0
    return text
end

local units = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "µs" }, { 1, "ns" } }

-- Three digits and a unit.
function report.value(value, unit)
    if unit == "bytes" then return ("%.0f B"):format(value) end
    for _, scale in ipairs(units) do
        if value >= scale[1] then return ("%.3g %s"):format(value / scale[1], scale[2]) end
    end
    return ("%.3g ns"):format(value)
end

-- Half the distance between the quartiles; undefined for a single sample.
local function percent(summary)
    return summary.count == 1 and "once" or ("±%.0f %%"):format(summary.spread * 50)
end

function report.ratio(ratio)
    if statistics.isNoisy(ratio) then return ("too noisy (%.3g to %.3g)"):format(ratio.low, ratio.high) end
    return ("%.3g %s"):format(ratio.median, percent(ratio))
end

-- Columns as wide as their widest cell, in characters.
local function aligned(rows)
    local widths = {}
    for _, row in ipairs(rows) do
        for i, cell in ipairs(row) do widths[i] = math.max(widths[i] or 3, utf8.len(cell)) end
    end
    local lines = {}
    for r, row in ipairs(rows) do
        local cells = {}
        for i, cell in ipairs(row) do cells[i] = (" "):rep(widths[i] - utf8.len(cell)) .. cell end
        lines[#lines + 1] = "| " .. table.concat(cells, " | ") .. " |"
        if r == 1 then
            for i, width in ipairs(widths) do cells[i] = ("-"):rep(width - 1) .. ":" end
            lines[#lines + 1] = "| " .. table.concat(cells, " | ") .. " |"
        end
    end
    return table.concat(lines, "\n")
end

-- The table of one contest: a row for each size, and below it the missing programs of each peer.
function report.table(measured)
    local definition = measured.definition
    local head, present, absent = { definition.counted or "operations" }, {}, {}
    for i, entry in ipairs(definition.entries) do
        if entry.lacks then
            absent[#absent + 1] = ("%s: skipped, this machine lacks %s"):format(entry.name, entry.lacks)
        else
            present[#present + 1] = i
            head[#head + 1] = entry.name
            if i > 1 then head[#head + 1] = "ratio" end
        end
    end
    local rows = { head }
    for _, n in ipairs(measured.sizes) do
        local row = { report.count(n) }
        for _, i in ipairs(present) do
            local summary = measured:summary(i, n)
            row[#row + 1] = summary and report.value(summary.median, definition.unit) .. " " .. percent(summary) or "–"
            if i > 1 then
                local ratio = measured:ratio(i, n)
                row[#row + 1] = ratio and report.ratio(ratio) or "–"
            end
        end
        rows[#rows + 1] = row
    end
    if definition.growth then
        local row = { "growth" }
        for _, i in ipairs(present) do
            local growth = measured:growth(i)
            row[#row + 1] = growth and report.ratio(growth) or "–"
            if i > 1 then row[#row + 1] = "" end
        end
        rows[#rows + 1] = row
    end
    local text = "**" .. definition.title .. "**\n\n" .. aligned(rows)
    if #absent > 0 then text = text .. "\n\n" .. table.concat(absent, "\n") end
    return text
end

return report
