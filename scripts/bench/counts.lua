-- Instructions for one operation, as `make bench-counts` last wrote them.
return {
    ["simulated.independent"] = 7278,
    ["simulated.batch"] = 6444,
    ["simulated.chain"] = 8109,
    ["simulated.fan"] = 7487,
    ["lua.made"] = 15821,
    ["lua.bodies"] = 25272,
}
