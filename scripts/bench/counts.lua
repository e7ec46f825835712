-- Instructions for one operation, as `make bench-counts` last wrote them.
return {
    ["simulated.independent"] = 7983,
    ["simulated.batch"] = 7575,
    ["simulated.chain"] = 9955,
    ["simulated.fan"] = 9536,
    ["lua.made"] = 15821,
    ["lua.bodies"] = 25272,
}
