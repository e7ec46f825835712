-- A flag takes no value but true and false.
-- script-arguments: a --verbose=loudly
-- expect-status: 2
-- expect-stderr: %-%-verbose takes no value, got 'loudly'
-- expect-stdout: before
print "before"
arguments {
    { "--jobs", type = "integer" },
    { "--format", choices = { "png", "gif" } },
    { "--verbose", type = "boolean" },
    { "from" },
    { "to", required = false },
}
print "never printed"
