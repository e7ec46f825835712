-- An unknown option ends the script with status 2 and the nearest name.
-- script-arguments: a --jbos 3
-- expect-status: 2
-- expect-stderr: there is no option '%-%-jbos' %(did you mean '%-%-jobs'%?%)%. See 'opscript .*an_unknown_option_is_two%.lua %-%-help'
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
