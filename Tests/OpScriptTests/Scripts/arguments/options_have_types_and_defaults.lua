-- Words become values of the declared types; an option that is not given has its default, or is nil.
-- script-arguments: -j8 --scale=1.5 a --dry-run b -- -c
local options = arguments {
    { "--jobs", "-j", type = "integer", default = 4 },
    { "--scale", type = "number" },
    { "--format", choices = { "png", "gif" }, default = "png" },
    { "--dry-run", type = "boolean" },
    { "-v", "--verbose", type = "flag" },
    { "--limit", type = "integer" },
    { "--tag", many = true },
    { "file", many = true },
}
assert(options.jobs == 8 and math.type(options.jobs) == "integer")
assert(options.scale == 1.5 and options.format == "png" and options.limit == nil)
assert(options.dry_run == true and options["dry-run"] == true and options.dryRun == true)
assert(options.verbose == false and #options.tag == 0)
assert(table.concat(options.file, " ") == "a b -c")
