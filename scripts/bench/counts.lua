-- Instructions for one operation, as `make bench-counts` last wrote them.
return {
    ["simulated.independent"] = 7623,
    ["simulated.batch"] = 7142,
    ["simulated.chain"] = 9343,
    ["simulated.fan"] = 8894,
    ["lua.made"] = 26624,
    ["lua.bodies"] = 37188,
}
