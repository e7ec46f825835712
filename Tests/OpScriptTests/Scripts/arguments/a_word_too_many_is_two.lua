-- A word that no declaration takes is refused.
-- script-arguments: a b c
-- expect-status: 2
-- expect-stderr: 'c' is one word too many
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
