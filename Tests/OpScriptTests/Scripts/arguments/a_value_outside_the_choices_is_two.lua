-- A value that is not among the choices is refused, with the nearest choice.
-- script-arguments: a --format gfi
-- expect-status: 2
-- expect-stderr: %-%-format is 'gfi', but it must be one of 'png', 'gif' %(did you mean 'gif'%?%)
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
