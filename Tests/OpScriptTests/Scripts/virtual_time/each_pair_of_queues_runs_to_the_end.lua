-- On virtual time, too, nothing that is ready is left, whatever the queues, the bodies and the end of a dependency.
-- arguments: --virtual
dofile((arg[0]:gsub("virtual_time/", "dependencies/")))
