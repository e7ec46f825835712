-- The last measurement: the ratios in the tables of last-measurement.md.
local record = {}

-- The words between the bars of a table's line; nil if it is not a table.
local function cells(line)
    if line:sub(1, 1) ~= "|" then return nil end
    local words = {}
    for cell in line:gmatch "|([^|]*)" do words[#words + 1] = cell:match "^%s*(.-)%s*$" end
    -- The text behind the last bar.
    words[#words] = nil
    return words
end

-- The ratio in a cell; of a noisy one, the higher end. Nil if there is none.
local function ratio(cell)
    return tonumber(cell:match "^too noisy %([^ ]+ to ([^)]+)%)$" or cell:match "^([%d.e+-]+) [±o]")
end

-- By title: by peer and size the ratio to that peer, and as `growth` our own ratio to the size `largest`.
function record.read(lines)
    local tables, title, head = {}, nil, nil
    for line in lines do
        local row = cells(line)
        if not row then
            -- A title is that of the next table, with nothing but empty lines between.
            if head or line ~= "" then title = line:match "^%*%*(.+)%*%*$" end
            head = nil
        elseif title and not head then
            head = row
            tables[title] = {}
        elseif title and not row[1]:find "^%-" then
            local ratios, n = tables[title], tonumber((row[1]:gsub(" ", "")))
            if row[1] == "growth" then ratios.growth = ratio(row[2]) end
            ratios.largest = n or ratios.largest
            for place = 3, #row do
                local peer = head[place - 1]
                if n and head[place] == "ratio" then
                    ratios[peer] = ratios[peer] or {}
                    ratios[peer][n] = ratio(row[place])
                end
            end
        end
    end
    return tables
end

return record
