-- Uses up the time of each frame, and never waits for one.
local ticks = 0
for _ = 1, 200 do
    Timer.scheduledTimer(0.001, true, function() ticks = ticks + 1 end)
end

async(function()
    local squares = {}
    while true do
        for i = 1, 1000000 do squares[i % 100] = i * 2 end
    end
end)

while true do
    local words = {}
    for i = 1, 10000 do words[i] = { name = "word " .. i } end
    sleep(0)
end
