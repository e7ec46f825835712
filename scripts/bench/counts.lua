-- Instructions for one operation, as `make bench-counts` last wrote them.
return {
    ["simulated.independent"] = 7278,
    ["simulated.batch"] = 6443,
    ["simulated.chain"] = 8109,
    ["simulated.fan"] = 7487,
    ["lua.made"] = 15027,
    ["lua.bodies"] = 15344,
}
