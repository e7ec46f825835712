-- Instructions for one operation, as `make bench-counts` last wrote them.
return {
    ["simulated.independent"] = 7349,
    ["simulated.batch"] = 6549,
    ["simulated.chain"] = 8173,
    ["simulated.fan"] = 7577,
    ["lua.made"] = 12153,
    ["lua.bodies"] = 11732,
}
