extension ScriptReport {
    /// The same report without secrets in the sentences that were made for it. Its failures and its record have none.
    func hiding(_ secrets: Secrets) -> ScriptReport {
        if secrets.isEmpty { return self }
        var report = self
        report.stuck = stuck.map(secrets.hidden)
        report.defects = defects.map(secrets.hidden)
        report.neverAdded = neverAdded.map(secrets.hidden)
        report.abandoned = abandoned.map(secrets.hidden)
        report.planEnd = planEnd.map(secrets.hidden)
        report.refusedOption = refusedOption.map(secrets.hidden)
        report.declarations = declarations.map(secrets.hidden)
        return report
    }
}

extension ScriptError {
    /// The same error without secrets in its texts. Its ``fields`` are data of the script and stay.
    func hiding(_ secrets: Secrets) -> ScriptError {
        if secrets.isEmpty { return self }
        var error = self
        error.message = secrets.hidden(in: message)
        error.operationName = operationName.map(secrets.hidden)
        error.traceback = traceback.map(secrets.hidden)
        error.createdAt = createdAt.map(secrets.hidden)
        if let inner = underlying as? ScriptError { error.underlying = inner.hiding(secrets) }
        return error
    }
}
