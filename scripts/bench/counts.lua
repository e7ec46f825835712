-- Instructions for one operation, as `make bench-counts` last wrote them.
return {
    ["simulated.independent"] = 6376,
    ["simulated.batch"] = 5570,
    ["simulated.chain"] = 7117,
    ["simulated.fan"] = 6770,
    ["lua.made"] = 10233,
    ["lua.bodies"] = 9805,
}
