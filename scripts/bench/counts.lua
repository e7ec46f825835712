-- Instructions for one operation, as `make bench-counts` last wrote them.
return {
    ["simulated.independent"] = 7690,
    ["simulated.batch"] = 6809,
    ["simulated.chain"] = 8580,
    ["simulated.fan"] = 7947,
    ["lua.made"] = 15821,
    ["lua.bodies"] = 25272,
}
