// swift-tools-version: 6.2
import PackageDescription

/// The checks treat warnings as errors; other builds do not, so that warnings of a newer compiler do not stop
/// them.
let warningsAreErrors = Context.environment["OPSCRIPT_WARNINGS"] == "errors"

/// Every Swift target is compiled the same way: Swift 6, explicit existentials and explicit imports.
let swiftSettings: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ] + (warningsAreErrors ? [.treatAllWarnings(as: .error)] : [])

let package = Package(
    name: "OpScript",
    products: [
        .library(name: "Scheduling", targets: ["Scheduling"]),
        .library(name: "OpScript", targets: ["OpScript"]),
        .library(name: "OpScriptRecord", targets: ["OpScriptRecord"]),
        .library(name: "OpScriptJournal", targets: ["OpScriptJournal"]),
        .library(name: "OpScriptWorks", targets: ["OpScriptWorks"]),
        .library(name: "OpScriptCLI", targets: ["OpScriptCLI"]),
        .library(name: "OpScriptFoundation", targets: ["OpScriptFoundation"]),
        .library(name: "OpScriptTesting", targets: ["OpScriptTesting"]),
        .executable(name: "opscript", targets: ["OpScriptTool"]),
    ],
    traits: [
        .trait(name: "SharedLua", description: "Link the system's shared liblua5.4."),
        .trait(name: "StaticLua", description: "Link the system's static liblua5.4.a."),
        .trait(name: "HTTP", description: "The works of http, which need the headers of libcurl."),
        .trait(
            name: "Pictures",
            description:
                "JPEG, PNG, WebP and GIF, which need the headers of libjpeg, libpng, libwebp and giflib."
        ),
        .trait(name: "Journal", description: "Journals in files, which need the headers of libsqlite3."),
        .trait(
            name: "Dashboard",
            description: "The live page of a run, which needs the header of libmicrohttpd."
        ),
        // The traits that a host needs: nothing is fetched or built for the command alone. `make` names the others.
        .default(enabledTraits: ["SharedLua"]),
    ],
    dependencies: [
        // Options, help and usage errors of the command, in the style of other Swift tools.
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        // For tests of the command: processes that are started by another implementation; without its
        // Foundation part.
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
        // File paths as bytes, and system calls with Swift errors.
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        // The heap of timers: its module HeapModule alone.
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        // Logs, metrics and spans go to the backends that a host has installed.
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    ],
    targets: [
        // The only place that includes <lua.h> or raises Lua errors.
        .target(
            name: "CLua",
            path: "CLua",
            exclude: ["README.md"],
            // For the descriptors that are reserved for the process.
            cSettings: [.headerSearchPath("../Sources/CLinux")]
                + (warningsAreErrors ? [.treatAllWarnings(as: .error)] : []),
            linkerSettings: [
                .linkedLibrary("lua5.4", .when(traits: ["SharedLua"])),
                .linkedLibrary(":liblua5.4.a", .when(traits: ["StaticLua"])),
                .linkedLibrary("m", .when(traits: ["StaticLua"])),
            ]
        ),
        .target(name: "LuaVM", dependencies: ["CLua"], swiftSettings: swiftSettings),
        // Headers of the kernel that the C library's module leaves out; it has no compiled sources.
        .systemLibrary(name: "CLinux"),
        // Texts in Lua, JavaScript, CSS and HTML, which are files in the folders of the targets that use them.
        .target(
            name: "CTexts",
            cSettings: warningsAreErrors ? [.treatAllWarnings(as: .error)] : []
        ),
        // The line editor of the prompt, which is libedit.
        .systemLibrary(name: "CEdit"),
        // Digests, by the system's libcrypto.
        .systemLibrary(name: "CCrypto"),
        // Opens libraries of the system when they are first needed.
        .target(name: "CLibrary", cSettings: warningsAreErrors ? [.treatAllWarnings(as: .error)] : []),
        // HTTP: libcurl, which is opened at the first request and not linked; empty without the trait HTTP.
        .target(
            name: "CCurl",
            dependencies: ["CLibrary"],
            cSettings: [.define("OPSCRIPT_HTTP", .when(traits: ["HTTP"]))]
                + (warningsAreErrors ? [.treatAllWarnings(as: .error)] : [])
        ),
        // Pictures: the system's libraries, which are opened when they are first used and not linked; empty without the
        // trait Pictures.
        .target(
            name: "CPictures",
            dependencies: ["CLibrary"],
            cSettings: [.define("OPSCRIPT_PICTURES", .when(traits: ["Pictures"]))]
                + (warningsAreErrors ? [.treatAllWarnings(as: .error)] : [])
        ),
        // The server of the live page: libmicrohttpd, which is opened when a page is served and not linked; empty
        // without the trait Dashboard.
        .target(
            name: "CMicroHTTPD",
            dependencies: ["CLibrary"],
            cSettings: [.define("OPSCRIPT_DASHBOARD", .when(traits: ["Dashboard"]))]
                + (warningsAreErrors ? [.treatAllWarnings(as: .error)] : [])
        ),
        // Journals: libsqlite3, which is opened at the first use and not linked; empty without the trait Journal.
        .target(
            name: "CSQLite",
            dependencies: ["CLibrary"],
            cSettings: [.define("OPSCRIPT_JOURNAL", .when(traits: ["Journal"]))]
                + (warningsAreErrors ? [.treatAllWarnings(as: .error)] : [])
        ),
        .target(
            name: "Scheduling",
            dependencies: ["CLinux", .product(name: "HeapModule", package: "swift-collections")],
            exclude: ["README.md"],
            swiftSettings: swiftSettings
        ),
        // The record of a run, and the formats in which it is written.
        .target(
            name: "OpScriptRecord",
            dependencies: ["CTexts"],
            exclude: ["Page"],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "OpScript",
            dependencies: [
                "CLinux",
                "CTexts",
                "LuaVM",
                "OpScriptRecord",
                "Scheduling",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            exclude: ["Globals/Lua"],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "OpScriptWorks",
            dependencies: [
                "CCrypto",
                .target(name: "CCurl", condition: .when(traits: ["HTTP"])),
                "CLinux",
                .target(name: "CPictures", condition: .when(traits: ["Pictures"])),
                "OpScript",
                "Scheduling",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: swiftSettings,
            linkerSettings: [
                .linkedLibrary("crypto", .when(traits: ["SharedLua"])),
                .linkedLibrary(":libcrypto.a", .when(traits: ["StaticLua"])),
            ]
        ),
        // Journals in files: results that a later run need not compute again.
        .target(
            name: "OpScriptJournal",
            dependencies: ["CCrypto", "CSQLite", "OpScript", "Scheduling"],
            exclude: ["SQL"],
            swiftSettings: swiftSettings,
            linkerSettings: [
                .linkedLibrary("crypto", .when(traits: ["SharedLua"])),
                .linkedLibrary(":libcrypto.a", .when(traits: ["StaticLua"])),
            ]
        ),
        // Scenarios: finds them in files and runs them, each in an engine of its own.
        .target(
            name: "OpScriptScenarios",
            dependencies: ["CTexts", "OpScript"],
            exclude: ["Library/Lua"],
            swiftSettings: swiftSettings
        ),
        // The parts that need Foundation: the host's own queues and operations.
        .target(
            name: "OpScriptFoundation",
            dependencies: ["OpScript", "Scheduling"],
            swiftSettings: swiftSettings
        ),
        // For a host's own tests: scenarios as cases of Swift Testing, virtual time for its Swift code.
        .target(
            name: "OpScriptTesting",
            dependencies: ["OpScript", "OpScriptScenarios", "Scheduling"],
            swiftSettings: swiftSettings
        ),
        // Queues on a cluster with Slurm, by Slurm's command-line tools.
        .target(
            name: "OpScriptSlurm",
            dependencies: ["OpScript", "OpScriptWorks", "Scheduling"],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "OpScriptCLI",
            dependencies: [
                "CEdit",
                .target(name: "CMicroHTTPD", condition: .when(traits: ["Dashboard"])),
                "CTexts",
                "OpScript",
                .target(name: "OpScriptJournal", condition: .when(traits: ["Journal"])),
                "OpScriptRecord",
                "OpScriptScenarios",
                "OpScriptSlurm",
                "OpScriptWorks",
                "Scheduling",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            exclude: ["Prompt/Lua"],
            swiftSettings: swiftSettings,
            // libedit, and the libraries that it needs itself.
            linkerSettings: [
                .linkedLibrary("edit", .when(traits: ["SharedLua"])),
                .linkedLibrary(":libedit.a", .when(traits: ["StaticLua"])),
                .linkedLibrary(":libbsd.a", .when(traits: ["StaticLua"])),
                .linkedLibrary(":libmd.a", .when(traits: ["StaticLua"])),
                .linkedLibrary(":libtinfo.a", .when(traits: ["StaticLua"])),
            ]
        ),
        .executableTarget(name: "OpScriptTool", dependencies: ["OpScriptCLI"], swiftSettings: swiftSettings),
        // The examples of docs/Examples, which are also packages of their own, so that tests can run them.
        .executableTarget(
            name: "OwnCommand",
            dependencies: ["OpScript", "OpScriptCLI"],
            path: "docs/Examples/OwnCommand/Sources/OwnCommand",
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "PlainHost",
            dependencies: ["OpScript"],
            path: "docs/Examples/PlainHost/Sources/PlainHost",
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "RecordedRun",
            dependencies: ["OpScript", "OpScriptRecord"],
            path: "docs/Examples/RecordedRun/Sources/RecordedRun",
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "ManualLoop",
            dependencies: ["OpScript"],
            path: "docs/Examples/ManualLoop/Sources/ManualLoop",
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "OpScriptBench",
            dependencies: ["OpScript", "OpScriptRecord", "Scheduling"],
            swiftSettings: swiftSettings
        ),
        // Support for the tests of several targets; not a product.
        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: swiftSettings),
        .testTarget(
            name: "LuaVMTests",
            dependencies: ["LuaVM", "TestSupport"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "SchedulingTests",
            dependencies: ["Scheduling", "TestSupport"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "OpScriptRecordTests",
            dependencies: ["OpScriptRecord"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "OpScriptTests",
            dependencies: [
                "OpScript",
                "OpScriptRecord",
                "OpScriptWorks",
                "TestSupport",
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            exclude: ["Contract/arguments.lua", "Contract/states.lua", "Engine/Pausing", "Scripts"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "OpScriptJournalTests",
            dependencies: ["OpScript", "OpScriptJournal", "Scheduling"],
            swiftSettings: swiftSettings
        ),
        // For tests: a server whose behaviour, good or bad, depends on the path.
        .target(name: "HTTPTestServer", path: "Tests/HTTPTestServer", swiftSettings: swiftSettings),
        .testTarget(
            name: "OpScriptSlurmTests",
            dependencies: ["OpScript", "OpScriptRecord", "OpScriptSlurm", "Scheduling"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "OpScriptWorksTests",
            dependencies: [
                "HTTPTestServer",
                "CLinux",
                "OpScript",
                "OpScriptWorks",
                "TestSupport",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "OpScriptScenariosTests",
            dependencies: ["OpScript", "OpScriptScenarios", "OpScriptWorks", "Scheduling"],
            exclude: ["Scenarios"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "OpScriptTestingTests",
            dependencies: ["OpScript", "OpScriptTesting", "Scheduling"],
            exclude: ["Scenarios", "Broken"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "OpScriptFoundationTests",
            dependencies: [
                "OpScript", "OpScriptFoundation", .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "OpScriptCLITests",
            dependencies: [
                "HTTPTestServer",
                "ManualLoop",
                "OpScript",
                "OpScriptCLI",
                "OwnCommand",
                "PlainHost",
                "RecordedRun",
                "TestSupport",
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            exclude: ["Cluster/Lua", "Cluster/loopback.sh", "Memory", "Journal/Lua"],
            swiftSettings: swiftSettings
        ),
    ],
    cLanguageStandard: .c11
)
