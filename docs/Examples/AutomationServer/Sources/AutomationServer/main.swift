import Foundation
import Hummingbird
import Logging
import OpScript
import ServiceLifecycle

let arguments = CommandLine.arguments
guard arguments.count == 3, let port = Int(arguments[2]) else {
    print("usage: AutomationServer TENANTS.json PORT")
    exit(2)
}
let tenants = try Tenant.read(arguments[1])
let logger = Logger(label: "automation")
let board = JobBoard(tenants, on: ScriptThreads(count: 4), grace: .seconds(5))
let server = Application(
    router: makeRouter(board, tenants),
    configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
    logger: logger
)
// In this order they begin; they end the other way round: first the jobs, while clients may still follow them.
let group = ServiceGroup(
    configuration: ServiceGroupConfiguration(
        services: [server, board],
        gracefulShutdownSignals: [.sigterm, .sigint],
        logger: logger
    )
)
try await group.run()
