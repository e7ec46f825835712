internal import Glibc
internal import OpScript
internal import OpScriptWorks

/// A program of Slurm that runs: `sbatch`, `squeue`, `scancel`, or the `srun` of a pilot.
final class SlurmProgram {
    /// The reason why it was started.
    enum Purpose {
        case submission(batch: Int)
        case question
        /// Ends jobs, by their numbers.
        case ending([String])
        case pilot(Int)
    }

    let purpose: Purpose
    /// Its name in its own errors.
    let name: String
    let process: StreamedProcess
    private(set) var output: [UInt8] = []
    private(set) var errorOutput: [UInt8] = []
    /// The bytes that its input has not taken yet.
    private var pending: [UInt8] = []
    private var sent = 0
    private var closesInput: Bool
    /// Messages of a pilot.
    var frames = MessageFrames()
    /// After this moment it is ended: it does not answer.
    var deadline: Double?

    /// - Parameter input: Its whole standard input; nil if it is fed later.
    init(_ purpose: Purpose, _ words: [String], input: [UInt8]?, deadline: Double?) throws(ScriptError) {
        self.purpose = purpose
        name = words[0]
        process = try StreamedProcess(words, environment: Self.environment)
        closesInput = input != nil
        pending = input ?? []
        self.deadline = deadline
        feed()
    }

    /// Variables that would change the output of Slurm's programs: whole lists of elements, of all jobs of the run, and
    /// no labels in front of lines.
    private static let environment: [String: String?] = [
        "SLURM_BITSTR_LEN": "0", "SQUEUE_USERS": nil, "SQUEUE_PARTITION": nil, "SQUEUE_ACCOUNT": nil,
        "SQUEUE_STATES": nil,
        "SQUEUE_NAMES": nil, "SQUEUE_FORMAT": nil, "SQUEUE_FORMAT2": nil, "SQUEUE_QOS": nil,
        "SQUEUE_ARRAY": nil,
        "SQUEUE_ALL": nil, "SQUEUE_LICENSES": nil, "SQUEUE_SORT": nil, "SLURM_LABELIO": nil,
        "SLURM_UNBUFFEREDIO": nil,
        "SBATCH_ARRAY_INX": nil, "SBATCH_JOB_NAME": nil, "SLURM_JOB_NAME": nil, "SBATCH_OUTPUT": nil,
        "SLURM_STDOUTMODE": nil,
        "SLURM_STDINMODE": nil, "SBATCH_WAIT": nil, "SBATCH_REQUEUE": nil, "SBATCH_NO_REQUEUE": nil,
    ]

    /// Whether its input waits to be taken.
    var hasPending: Bool { process.input >= 0 && sent < pending.count }

    func write(_ bytes: [UInt8]) {
        pending += bytes
        feed()
    }

    /// Closes the input after what is pending.
    func closeInput() {
        closesInput = true
        feed()
    }

    /// Writes what the input takes now.
    func feed() {
        while hasPending {
            guard let count = process.write(pending[sent...]) else { return process.closeInput() }
            if count == 0 { return }
            sent += count
        }
        pending = []
        sent = 0
        if closesInput { process.closeInput() }
    }

    /// Reads what there is. A pilot's output goes to its frames.
    func read(_ scratch: UnsafeMutableRawBufferPointer) {
        if case .pilot = purpose {
            Self.read(process.output, scratch) { frames.append($0) }
        } else {
            Self.read(process.output, scratch) { output += $0 }
        }
        Self.read(process.errorOutput, scratch) { bytes in
            errorOutput += bytes
            // The end of it is enough for an error.
            if errorOutput.count > 65_536 { errorOutput.removeFirst(errorOutput.count - 16_384) }
        }
    }

    private static func read(
        _ descriptor: Int32,
        _ scratch: UnsafeMutableRawBufferPointer,
        _ take: (UnsafeRawBufferPointer) -> Void
    ) {
        while let count = descriptorRead(descriptor, scratch), count > 0 {
            take(UnsafeRawBufferPointer(rebasing: scratch[..<count]))
        }
    }

    /// Runs a program to its end, and returns its output. The calling thread waits.
    ///
    /// - Throws: In its own words, if it fails.
    static func output(of words: [String], seconds: Double = 30) throws(ScriptError) -> String {
        let program = try SlurmProgram(.question, words, input: [], deadline: nil)
        let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
        defer { scratch.deallocate() }
        let end = ContinuousClock.now + .seconds(seconds)
        while true {
            var descriptors = [program.process.output, program.process.errorOutput, program.process.process]
                .map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            poll(&descriptors, 3, 1000)
            program.read(scratch)
            if descriptors[2].revents != 0 { break }
            if ContinuousClock.now > end { program.process.send(signal: SIGKILL) }
        }
        program.read(scratch)
        let status = program.process.takeEnd()
        guard status == 0 else { throw ScriptError(.host, program.refusal(status: status).text) }
        return String(decoding: program.output, as: UTF8.self)
    }

    /// Adds a line to its error output.
    func note(_ line: String) { errorOutput += Array("\(line)\n".utf8) }

    /// The reason for a status other than 0.
    func refusal(status: Int32) -> SlurmRefusal {
        SlurmRefusal(command: name, status: status, errorOutput: String(decoding: errorOutput, as: UTF8.self))
    }
}
