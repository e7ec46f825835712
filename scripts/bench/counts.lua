-- Instructions for one operation, as `make bench-counts` last wrote them.
return {
    ["simulated.independent"] = 7409,
    ["simulated.batch"] = 6613,
    ["simulated.chain"] = 8311,
    ["simulated.fan"] = 7660,
    ["lua.made"] = 13199,
    ["lua.bodies"] = 15665,
}
