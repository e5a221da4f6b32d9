// swift-tools-version: 6.2
import PackageDescription

/// Coffer's libraries for Swift applications, as the package coffer-dev installs them. An application names this folder in its Package.swift:
/// `.package(path: "/usr/share/coffer/swift")`, with the package's name `swift`.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
]

func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

let package = Package(
    name: "coffer",
    products: [
        .library(name: "Coffer", targets: ["Coffer"]),
        .library(name: "CofferFiles", targets: ["CofferFiles"]),
        .library(name: "CofferTestKit", targets: ["CofferTestKit"]),
    ],
    targets: [
        .systemLibrary(name: "COpenSSL"),
        .systemLibrary(name: "CLinux"),
        library("Platform", ["CLinux"]),
        library("Cryptography", ["COpenSSL"]),
        library("Item"),
        library("JSON", ["Platform"]),
        library("Varlink", ["JSON", "Platform"]),
        library("BrokerProtocol", ["Item", "JSON", "Varlink"]),
        library("Coffer", ["Item", "BrokerProtocol", "JSON", "Varlink", "Platform"]),
        library("CofferTestKit", ["Coffer", "Platform"]),
        library("CofferFiles", ["Coffer", "Cryptography", "Platform"]),
    ]
)
