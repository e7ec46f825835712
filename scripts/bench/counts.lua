-- Instructions for one operation, as `make bench-counts` last wrote them.
return {
    ["simulated.independent"] = 7447,
    ["simulated.batch"] = 6646,
    ["simulated.chain"] = 8306,
    ["simulated.fan"] = 7687,
    ["lua.made"] = 11309,
    ["lua.bodies"] = 10379,
}
