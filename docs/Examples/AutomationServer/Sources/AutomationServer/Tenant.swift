import Foundation

/// A client that may send scripts, and its share of the server.
struct Tenant: Codable, Sendable {
    let name: String
    /// The token in the tenant's requests: `Authorization: Bearer …`.
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
