local hero = await(work.spawn())
while hero.x < 3 do
    hero:move(1)
    await(frame())
end
