-- The other blocks of a block operation do not run, either; and a parser of text cannot catch it.
-- expect-status: 3
-- expect-stdout: first block
await(BlockOperation(
    function()
        print "first block"
        load(function() os.exit(3) end)
        print "still here"
    end,
    function() print "second block" end
))
