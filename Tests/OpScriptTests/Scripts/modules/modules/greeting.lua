-- A module without surprises.
return { word = "hello" }
