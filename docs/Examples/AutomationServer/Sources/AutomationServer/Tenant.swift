import Foundation

/// Who may send scripts, and how much of the server they may take.
struct Tenant: Codable, Sendable {
    let name: String
    /// What the tenant's requests carry: `Authorization: Bearer …`.
    let token: String
    /// How many of the tenant's scripts run at once.
    let running: Int
    /// How many more may wait for their turn; the next one is refused with 429.
    let waiting: Int
    let secondsPerRun: Int

    static func read(_ path: String) throws -> [Tenant] {
        try JSONDecoder().decode([Tenant].self, from: Data(contentsOf: URL(filePath: path)))
    }
}
