-- Photographs of 12 megapixels, read, made small and written.
local machine = require "machine"

local function succeed(command) assert(os.execute(command .. " >/dev/null 2>&1"), command) end

return function(places)
    local output, folder = places.files .. "/output", places.files .. "/photographs"
    local small = folder .. "/small"
    local job = places.scripts .. "/opscript/photographs.lua"
    local python = machine.pythonWith "PIL"

    local made = 0
    local function make(n)
        if made < n then
            succeed(("mkdir -p '%s'"):format(small))
            succeed(("'%s' -q '%s' '%s' %d make"):format(places.opscript, job, folder, n))
            made = n
        end
        succeed(("rm -f '%s'/*"):format(small))
    end

    -- Each of them has to be there, and to be a JPEG of the right size.
    local function check(n)
        for number = 1, n do
            local file <close> = assert(io.open(("%s/%d.jpg"):format(small, number), "rb"))
            local size = assert(file:read("a"):match("\xff[\xc0-\xc2]...(....)"), "no JPEG")
            local height, width = (">I2I2"):unpack(size)
            assert(width == 800 and height == 600, "a picture has another size")
        end
    end

    local function entry(name, lacks, ...)
        return {
            name = name, lacks = lacks, command = { places.bench, "launch", "1", output, ... },
            before = make, after = check,
        }
    end

    local magick = ("seq 1 {N} | sed 's|.*|%s/&.jpg|' | xargs -P $(nproc) -n 5 "):format(folder)
        .. ("mogrify -path '%s' -filter box -resize 800x -quality 85"):format(small)
    return {
        {
            id = "pictures", counted = "photographs", title = "Photographs of 12 megapixels, made 800 pixels wide",
            sizes = { small = { 20 }, full = { 20, 200 } }, rounds = { small = 3, full = 3 },
            entries = {
                entry("opscript", nil, places.opscript, "-q", job, folder, "N"),
                entry("Pillow", not python and "Pillow" or nil, python or "python3",
                    places.scripts .. "/peers/photographs.py", folder, "N"),
                entry("ImageMagick", machine.lacksCommand "mogrify", "sh", "-c", magick),
            },
        },
    }
end
