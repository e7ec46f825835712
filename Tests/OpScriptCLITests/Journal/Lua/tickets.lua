-- Five equal operations, one after the other; the third one fails the first time.
local queue = OperationQueue { maxConcurrentOperationCount = 1 }
local tickets = {}
for place = 1, 5 do
  local ticket = work.process.shell [[
    n=$(($(cat count 2>/dev/null || echo 0) + 1)); echo $n > count; test $n != 3 && printf $n]]
  ticket.name, ticket.allowsFailure = "ticket", true
  tickets[place] = ticket
  queue:addOperation(ticket)
end
queue:waitUntilAllOperationsAreFinished()
for place, ticket in ipairs(tickets) do
  print(place, ticket.isRecorded, ticket.result and ticket.result.output or ticket.outcome)
end
error("not yet", 0)
