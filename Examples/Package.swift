// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]

let coffer = Target.Dependency.product(name: "Coffer", package: "coffer")
let settingsLibrary = Target.Dependency.product(name: "CofferSettings", package: "coffer")
let sync = Target.Dependency.product(name: "CofferSync", package: "coffer")
let caches = Target.Dependency.product(name: "CofferCaches", package: "coffer")
let sessions = Target.Dependency.product(name: "CofferSessions", package: "coffer")
let files = Target.Dependency.product(name: "CofferFiles", package: "coffer")
let testKit = Target.Dependency.product(name: "CofferTestKit", package: "coffer")
let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

let package = Package(
    name: "examples",
    dependencies: [
        .package(name: "coffer", path: "..", traits: []),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        .executableTarget(
            name: "tour", dependencies: [coffer, settingsLibrary, caches, sessions, files, testKit], path: "tour",
            swiftSettings: settings),
        .executableTarget(
            name: "session-manager", dependencies: [coffer, sessions], path: "session-manager", swiftSettings: settings),
        .executableTarget(
            name: "synced-settings", dependencies: [sync], path: "synced-settings", swiftSettings: settings),
        .executableTarget(
            name: "notes", dependencies: [coffer, settingsLibrary, files, argumentParser], path: "notes",
            swiftSettings: settings),
    ]
)
