it("x", function( end)
