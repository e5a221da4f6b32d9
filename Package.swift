// swift-tools-version: 6.2
import PackageDescription

/// Every target: Swift 6, strict memory safety, and a warning is an error.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
]

/// For what waits for people or runs seldom: as small as can be rather than as fast. Only `make release` asks for it,
/// because SwiftPM takes no package with such flags as a dependency of another.
let small: [SwiftSetting] =
    Context.environment["COFFER_SMALL"] == nil ? [] : [.unsafeFlags(["-Osize"], .when(configuration: .release))]

func library(_ name: String, _ dependencies: [Target.Dependency] = [], _ more: [SwiftSetting] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings + more)
}

func program(
    _ name: String, _ dependencies: [Target.Dependency], _ more: [SwiftSetting] = [], linking libraries: [String] = []
) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, swiftSettings: settings + more,
        linkerSettings: libraries.map { .linkedLibrary($0) })
}

/// What a program that always needs it links, so that it does not start without it, and a package depends on it.
let crypto = ["crypto"]

func tests(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, resources: resources, swiftSettings: settings)
}

/// A product that only the programs, their modules and the tests use (trait `Daemons`).
func daemons(_ name: String, _ package: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: ["Daemons"]))
}

let argumentParser = daemons("ArgumentParser", "swift-argument-parser")
let logging = daemons("Logging", "swift-log")
let lifecycle = daemons("ServiceLifecycle", "swift-service-lifecycle")
let unixSignals = daemons("UnixSignals", "swift-service-lifecycle")
let nio = daemons("NIOCore", "swift-nio")
let nioPosix = daemons("NIOPosix", "swift-nio")
let configuration = Target.Dependency.product(
    name: "Configuration", package: "swift-configuration", condition: .when(traits: ["Configuration"]))

/// `swift build` in this folder builds everything. Another package gets no trait that it does not name.
let everything = Context.environment["PWD"] == Context.packageDirectory ? ["Daemons"] : []

let package = Package(
    name: "coffer",
    products: [
        .library(name: "Coffer", targets: ["Coffer"]),
        .library(name: "CofferSettings", targets: ["CofferSettings"]),
        .library(name: "CofferSync", targets: ["CofferSync"]),
        .library(name: "CofferCaches", targets: ["CofferCaches"]),
        .library(name: "CofferSessions", targets: ["CofferSessions"]),
        .library(name: "CofferTestKit", targets: ["CofferTestKit"]),
        .library(name: "CofferFiles", targets: ["CofferFiles"]),
        .library(name: "CofferConfiguration", targets: ["CofferConfiguration"]),
        .executable(name: "coffer", targets: ["coffer-cli"]),
        .executable(name: "cofferd", targets: ["cofferd"]),
        .executable(name: "coffer-authenticator", targets: ["coffer-authenticator"]),
        .executable(name: "coffer-secret-service", targets: ["coffer-secret-service"]),
    ],
    traits: [
        .default(enabledTraits: Set(everything)),
        .trait(
            name: "Daemons", description: "The broker, the other programs and the tests.",
            enabledTraits: ["Configuration"]),
        .trait(name: "Configuration", description: "The product CofferConfiguration."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: []),
    ],
    targets: [
        // C libraries: module map and shim only. The module map says what to link: with `pkgConfig` here, every
        // application would be warned of each library that it lacks and does not need.
        .systemLibrary(name: "CTSS2"),
        .systemLibrary(name: "CPAM"),
        .systemLibrary(name: "CSQLite"),
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "CSystemd"),
        // These three are opened when something first needs them, and nothing links them.
        .systemLibrary(name: "COpenSSL"),
        .systemLibrary(name: "CCurl"),
        .systemLibrary(name: "CExpat"),

        // One gate to each of them.
        library("Platform", ["CLinux"]),
        library("ServiceManager", ["CSystemd", "Platform"], small),
        library("SystemBus", ["CSystemd", "Cryptography", "Platform"], small),
        library("Cryptography", ["COpenSSL", "LateLoading", "Platform"]),
        library("TPM", ["CTSS2", "Cryptography"]),
        library("PAM", ["CPAM", "Cryptography"], small),
        library("SQLite", ["CSQLite"]),
        library("LateLoading", [], small),
        library("HTTP", ["CCurl", "Cryptography", "LateLoading"], small),
        library("XML", ["CExpat", "LateLoading", "Platform"], small),
        library(
            "TestSupport",
            [
                "TPM", "Platform", "CLinux", "Cryptography", "Authorization", "BrokerProtocol", "JSON", "Varlink",
                "RootConfiguration",
                "Item", "Vault", "Broker",
                logging,
            ]),

        // What every layer means by an item. It imports nothing.
        library("Item", [], small),

        // What a broker and an authenticator agree on.
        library("RootConfiguration", [], small),
        library("ProgramOptions", ["Platform"], small),
        library("Authorization", ["Cryptography", "JSON", "Platform"], small),
        library("Recovery", ["Authorization", "Cryptography"]),
        library("HelperProtocol", ["JSON"], small),
        library("Age", ["Cryptography", "Platform"]),
        // The files of other programs, read from bytes.
        library("Import", ["Item", "HelperProtocol", "Platform"], small),
        library("Firmware", ["Cryptography"]),
        // What several machines make of each other's changes. Values alone: it reads and writes nothing.
        library("Circle", ["Item", "Cryptography", "Authorization", "Recovery"]),
        // What carries them between machines, and can neither read nor make them.
        library(
            "Courier",
            [
                "Circle", "Authorization", "BrokerProtocol", "Cryptography", "HTTP", "JSON", "Platform", "Varlink",
                "XML",
            ], small),
        library(
            "Vault",
            ["Item", "TPM", "Cryptography", "Authorization", "Circle", "JSON", "Recovery", "Platform", "SQLite"]),
        library("JSON", ["Platform"]),
        library("Varlink", ["JSON", "Platform"], small),
        library("BrokerProtocol", ["Item", "JSON", "Varlink"], small),
        library(
            "Broker",
            [
                "Item", "Vault", "TPM", "Circle", "Cryptography", "Authorization", "Recovery", "Firmware",
                "BrokerProtocol", "JSON",
                "Varlink",
                "RootConfiguration", "Platform", "ServiceManager", "SystemBus", nio, nioPosix, logging, lifecycle,
            ]),
        library(
            "Authenticator",
            [
                "Item", "PAM", "Circle", "Cryptography", "Authorization", "BrokerProtocol", "JSON", "Varlink",
                "RootConfiguration",
                "Platform",
                "ServiceManager", "SystemBus", logging,
            ], small),
        // What asks the broker and the authenticator. Without Foundation, so that the provider needs none.
        library("CofferClient", ["Item", "BrokerProtocol", "JSON", "Varlink", "Platform"]),
        library("Coffer", ["CofferClient"]),
        library("CofferSettings", ["Coffer", "JSON", "Platform"]),
        library("CofferSync", ["Coffer", "CofferSettings"]),
        library("CofferCaches", ["Coffer"]),
        library("CofferSessions", ["Coffer", "CofferCaches"]),
        library(
            "SecretService", ["CofferClient", "SystemBus", "Cryptography", "Platform", logging], small),
        library("CofferTestKit", ["Coffer", "Platform"]),
        library("CofferFiles", ["Coffer", "CofferSettings", "Cryptography", "Platform"]),
        library("CredentialHelpers", ["Coffer", "BrokerProtocol", "JSON", "Platform", argumentParser], small),
        // As swift-configuration, whose protocol has closures that stay on the caller's actor.
        library(
            "CofferConfiguration", ["Coffer", configuration],
            [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),

        // Programs.
        program(
            "cofferd",
            [
                "Broker", "Vault", "Circle", "Item", "Authorization", "Recovery", "Firmware", "Age", "HelperProtocol",
                "BrokerProtocol", "Varlink", "RootConfiguration", "Cryptography", "Platform", "ServiceManager",
                "SystemBus", "JSON", "ProgramOptions",
                logging, lifecycle, unixSignals,
            ], linking: crypto),
        program(
            "coffer-authenticator",
            [
                "Authenticator", "BrokerProtocol", "Varlink", "RootConfiguration", "Platform", "ProgramOptions",
                "ServiceManager",
            ], linking: crypto),
        program(
            "coffer-cli",
            [
                "Coffer", "BrokerProtocol", "JSON", "Varlink", "Platform", "HelperProtocol", "Import", "Recovery",
                "CredentialHelpers", "Circle", "Courier", "Authorization", "Cryptography", "HTTP",
                argumentParser,
            ], small),
        program(
            "coffer-secret-service",
            ["SecretService", "SystemBus", "CofferClient", "BrokerProtocol", "Platform", "ProgramOptions", logging],
            linking: crypto),

        // What make bench runs.
        .executableTarget(
            name: "coffer-benchmark",
            dependencies: ["BrokerProtocol", "Varlink", "Cryptography", "Platform", "SQLite", argumentParser],
            path: "Benchmarks/BrokerBenchmark", swiftSettings: settings),
        .executableTarget(
            name: "coffer-bus-benchmark", dependencies: ["SystemBus", "Cryptography", argumentParser],
            path: "Benchmarks/BusBenchmark", swiftSettings: settings),
        .executableTarget(
            name: "coffer-library-benchmark", dependencies: ["Coffer", "BrokerProtocol", "Varlink"],
            path: "Benchmarks/LibraryBenchmark", swiftSettings: settings),

        // What tests start as another process that writes settings.
        .executableTarget(
            name: "settings-writer", dependencies: ["CofferSettings"], path: "Tests/SettingsWriter",
            swiftSettings: settings),
        // Machines, people and a hostile store that change one circle (make simulate).
        .target(
            name: "Simulation", dependencies: ["Circle", "Item"], path: "Tests/Simulation", swiftSettings: settings),
        .executableTarget(
            name: "coffer-simulate", dependencies: ["Simulation"], path: "Tests/Simulate", swiftSettings: settings),
        // A large circle as its machines leave it in a store (make sync-size).
        .target(
            name: "Growth", dependencies: ["Vault", "Circle", "Item", "Authorization", "Cryptography"],
            path: "Tests/Growth", swiftSettings: settings),
        .executableTarget(
            name: "coffer-growth", dependencies: ["Growth", "Circle", "Cryptography"], path: "Tests/Grow",
            swiftSettings: settings),
        // What a test starts several times at once.
        .executableTarget(
            name: "coffer-contender", dependencies: ["Coffer"], path: "Tests/Contender", swiftSettings: settings),
        // A fingerprint reader for the tour of Examples.
        .executableTarget(
            name: "fingerprint-reader", dependencies: ["TestSupport"], path: "Tests/FingerprintReader",
            swiftSettings: settings),

        // Tests.
        tests(
            "CofferTests",
            [
                "Coffer", "CofferClient", "CofferSettings", "CofferSync", "CofferCaches", "CofferSessions",
                "CofferFiles",
                "CofferTestKit", "BrokerProtocol", "Varlink", "Platform", "TestSupport",
                "cofferd",
                "coffer-authenticator", "coffer-contender", "settings-writer",
            ]),
        tests(
            "CofferCLITests",
            [
                "coffer-cli", "CredentialHelpers", "cofferd", "Coffer", "CofferClient",
                "BrokerProtocol", "Varlink", "Platform", "CLinux",
                "TestSupport",
                "Import", "HelperProtocol", "Item", "Recovery", "Circle", "Courier", argumentParser,
            ]),
        tests("CredentialHelpersTests", ["CredentialHelpers", "Coffer", "CofferTestKit"]),
        tests(
            "SecretServiceTests",
            [
                "SecretService", "coffer-secret-service", "cofferd", "coffer-authenticator", "coffer-cli", "Coffer",
                "CofferClient", "CofferTestKit", "SystemBus", "Broker", "Vault", "TPM",
                "Cryptography", "Platform", "TestSupport",
            ]),
        // The examples of documents and doc comments (scripts/doc-code).
        tests(
            "DocumentTests",
            [
                "Coffer", "CofferSettings", "CofferSync", "CofferCaches", "CofferSessions", "CofferFiles",
                "CofferConfiguration", "CofferTestKit", configuration,
            ]),
        tests("CofferFilesTests", ["CofferFiles", "Coffer", "Cryptography", "Platform", "TestSupport", "Vault"]),
        .testTarget(
            name: "CofferConfigurationTests",
            dependencies: [
                "CofferConfiguration", "CofferTestKit", "Coffer", "cofferd", "coffer-authenticator", "TestSupport",
                configuration,
            ],
            swiftSettings: settings + [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
        tests("ItemTests", ["Item"]),
        tests(
            "CircleTests",
            ["Circle", "Simulation", "Item", "Authorization", "Recovery", "Cryptography", "TestSupport"]),
        tests(
            "CourierTests",
            [
                "Courier", "Circle", "Growth", "Authorization", "BrokerProtocol", "Cryptography", "HTTP", "Platform",
                "Varlink", "XML", "CLinux", "TestSupport",
            ]),
        tests("HTTPTests", ["HTTP", "Cryptography", "TestSupport"]),
        tests("XMLTests", ["XML"]),
        tests("PlatformTests", ["Platform"]),
        tests("TestSupportTests", ["TestSupport", "Platform"]),
        tests("ImportTests", ["Import", "HelperProtocol", "JSON"]),
        tests("AgeTests", ["Age", "Cryptography", "TestSupport"], resources: [.copy("testkit")]),
        tests("RootConfigurationTests", ["RootConfiguration"]),
        tests("ProgramOptionsTests", ["ProgramOptions"]),
        tests("JSONTests", ["JSON"]),
        tests("VarlinkTests", ["JSON", "Varlink", "BrokerProtocol", "Platform"]),
        tests("BrokerProtocolTests", ["BrokerProtocol", "Item", "JSON", "Varlink"]),
        tests(
            "SystemTests",
            [
                "Item", "Authorization", "BrokerProtocol", "Varlink", "Cryptography", "Platform", "Recovery", "TPM",
                "Vault",
                "TestSupport",
                "cofferd", "fingerprint-reader",
            ]),
        tests("AuthorizationTests", ["Authorization", "Cryptography"]),
        tests("PAMTests", ["PAM", "Cryptography", "Platform", "TestSupport"]),
        tests("FirmwareTests", ["Firmware", "Cryptography", "TestSupport"]),
        tests("CryptographyTests", ["Cryptography", "COpenSSL", "LateLoading", "Platform", "TestSupport"]),
        tests("SQLiteTests", ["SQLite", "TestSupport"]),
        tests(
            "VaultTests",
            [
                "Vault", "Circle", "Growth", "Item", "Recovery", "TPM", "Authorization", "Cryptography", "JSON",
                "Platform", "TestSupport", "SQLite",
            ]),
        tests("TPMTests", ["TPM", "CTSS2", "Cryptography", "Platform", "TestSupport"]),
        tests(
            "FuzzTests",
            [
                "Vault", "Recovery", "Firmware", "Broker", "Authenticator", "Authorization", "BrokerProtocol",
                "Item", "JSON", "Varlink", "RootConfiguration", "Coffer", "CofferClient", "CofferSettings",
                "CofferFiles",
                "CredentialHelpers", "Age", "Circle", "Courier", "HTTP", "XML",
                "Import",
                "HelperProtocol",
                "coffer-cli", "Cryptography", "Platform", "TPM", "TestSupport", "SecretService", "SystemBus",
                "SQLite", logging,
            ]),
        tests(
            "BrokerTests",
            [
                "Broker", "Item", "Vault", "TPM", "Cryptography", "Authorization", "BrokerProtocol", "JSON", "Varlink",
                "RootConfiguration", "Circle",
                "Platform", "Recovery", "SystemBus", "TestSupport", "cofferd", logging, nio, nioPosix,
            ]),
        tests(
            "AuthenticatorTests",
            [
                "Authenticator", "coffer-authenticator", "Authorization", "BrokerProtocol", "JSON", "Varlink",
                "RootConfiguration", "PAM", "Circle",
                "TestSupport", "Cryptography", "Platform",
            ]),
    ]
)
