describe("a cart", function()
    it("asks the host for prices", function()
        assert.equals(60, await(work.price("tea")) * 2)
    end)

    it("takes an hour of the clock and none of ours #slow", function()
        sleep(3600)
        assert.equals(3600, clock.now())
    end)

    pending("gives discounts")
end)
