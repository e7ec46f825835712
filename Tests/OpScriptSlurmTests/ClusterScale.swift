import Foundation

/// How large the simulated cluster's load is, and the figures that it gives.
enum ClusterScale {
    /// Whether the whole load is wanted, by `make cluster-scale`.
    static let isWhole = ProcessInfo.processInfo.environment["OPSCRIPT_CLUSTER_SCALE"] == "1"

    /// Prints throughput and memory, if they are wanted.
    static func report(_ count: UInt64, _ time: Duration) {
        guard isWhole else { return }
        let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let peak = status.split(separator: "\n").first { $0.hasPrefix("VmHWM") } ?? ""
        print("\(count) operations in \(seconds) s: \(Int(Double(count) / seconds)) a second; \(peak)")
    }
}
