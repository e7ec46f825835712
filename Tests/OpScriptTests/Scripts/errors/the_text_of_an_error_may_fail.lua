-- An error whose `__tostring` raises an error like itself is reported without its text.
-- expect-status: 1
-- expect-stderr: %(error object is a table value%)
local mark = {}
mark.__tostring = function() error(setmetatable({}, mark)) end
error(setmetatable({}, mark))
