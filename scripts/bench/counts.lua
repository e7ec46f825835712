-- Instructions for one operation, as `make bench-counts` last wrote them.
return {
    ["simulated.independent"] = 6404,
    ["simulated.batch"] = 5597,
    ["simulated.chain"] = 7147,
    ["simulated.fan"] = 6800,
    ["lua.made"] = 11313,
    ["lua.bodies"] = 10351,
}
