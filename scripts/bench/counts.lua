-- Instructions for one operation, as `make bench-counts` last wrote them.
return {
    ["simulated.independent"] = 7422,
    ["simulated.batch"] = 6621,
    ["simulated.chain"] = 8280,
    ["simulated.fan"] = 7662,
    ["lua.made"] = 11296,
    ["lua.bodies"] = 10320,
}
