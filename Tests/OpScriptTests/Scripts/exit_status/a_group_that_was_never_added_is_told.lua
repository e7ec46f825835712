-- A group that is in no queue is reported as such, and sets no exit status; nor do its operations, which only the group could start.
-- expect-stderr: 'inside' %(.*made but never added
do local dropped = GroupOperation { function() end } end
collectgarbage()
sleep(0)
kept = GroupOperation { Operation { name = "inner", main = function() end } }
kept.name = "inside"
