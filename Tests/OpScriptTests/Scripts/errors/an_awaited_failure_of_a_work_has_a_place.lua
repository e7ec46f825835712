-- The failure of a Swift closure ends the script where the script waited for it, and the traceback says where.
-- expect-status: 1
-- expect-stderr: cannot read 'nope': no such file
-- expect-stderr: in %w+ 'step'
-- expect-stderr: an_awaited_failure_of_a_work_has_a_place%.lua:7: in main chunk
local function step() return await(work.file.read("nope")) end
for _ = 1, 3 do step() end
