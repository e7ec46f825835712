-- A value of another type is refused.
-- script-arguments: a --jobs x
-- expect-status: 2
-- expect-stderr: %-%-jobs is 'x', but it must be an integer
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
