-- On virtual time, too, what one global queue does not use goes to the other one.
-- arguments: --virtual
dofile((arg[0]:gsub("virtual_time/", "dispatch_queue/")))
