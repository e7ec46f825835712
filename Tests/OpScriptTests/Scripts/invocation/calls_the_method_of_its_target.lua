-- `InvocationOperation(target, "method", ...)` calls `target:method(...)`; `result` holds what it returned.
local account = { balance = 10 }
function account:deposit(amount, factor)
    assert(self == account)
    self.balance = self.balance + amount * factor
    return self.balance
end
local op = InvocationOperation(account, "deposit", 5, 2)
assert(account.balance == 10, "it was called when it was made")
assert(await(op) == 20)
assert(op.result == 20 and account.balance == 20)
