package import OpScript
internal import OpScriptWorks

/// The jobs of runs on a cluster, for people.
package struct JobList {
    /// One line for each job, or each group of elements that wait; the first line has the titles.
    package let lines: [String]

    /// Asks Slurm for the jobs of this user.
    ///
    /// - Parameters:
    ///   - command: The name of the command, with which the names of runs begin.
    ///   - user: The number of the user.
    ///   - withEnded: Whether jobs that have ended are listed, too.
    /// - Throws: In Slurm's words, if they cannot be had.
    package init(of command: String, user: String, withEnded: Bool) throws(ScriptError) {
        let format = "Name:|,JobArrayID:|,State:|,NodeList:|,TimeUsed:|,Reason:|"
        let output = try SlurmProgram.output(
            of: [
                "squeue", "--noheader",
                withEnded ? "--states=all" : "--states=pending,running,suspended,completing,configuring",
                "--user=\(user)", "--Format=\(format)",
            ]
        )
        var rows = [["RUN", "JOB", "STATE", "NODE", "TIME", "REASON"]]
        for line in output.split(separator: "\n") where line.hasPrefix("\(command)-") {
            let fields = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
            guard fields.count >= 6 else { continue }
            rows.append(Array(fields.prefix(5)) + [fields[5] == "None" ? "" : fields[5]])
        }
        rows[1...].sort { Self.place($0) < Self.place($1) }
        let widths = (0..<6).map { column in rows.map { $0[column].count }.max() ?? 0 }
        lines =
            rows.count == 1
            ? []
            : rows.map { row in
                let cells = row.enumerated().map { column, text in
                    text + String(repeating: " ", count: widths[column] - text.count)
                }
                var line = cells.joined(separator: "  ")
                while line.hasSuffix(" ") { line.removeLast() }
                return line
            }
    }

    /// The place of a row in the list: by run, then by the numbers of job and element.
    private static func place(_ row: [String]) -> (String, Int, Int) {
        let numbers = row[1].split { !$0.isNumber }.map { Int($0) ?? 0 }
        return (row[0], numbers.first ?? 0, numbers.count > 1 ? numbers[1] : 0)
    }
}
