-- `--no-NAME` turns a flag off; the last of several words for one option counts, and with `many` all of them do.
-- script-arguments: --no-color --level 1 --level -2 --tag x --tag=y -qv
local options = arguments {
    { "--color", type = "boolean", default = true },
    { "--level", type = "integer" },
    { "--tag", many = true },
    { "-q", type = "boolean" },
    { "-v", type = "boolean" },
}
assert(options.color == false and options.level == -2)
assert(table.concat(options.tag, " ") == "x y" and options.q and options.v)
