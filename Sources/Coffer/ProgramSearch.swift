import FoundationEssentials

/// Finds a program as a shell does, but only in the absolute folders of PATH.
package struct ProgramSearch: Sendable {
    private let folders: [String]

    package init(environment: [String: String]) {
        folders = (environment["PATH"] ?? "").split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
    }

    package func path(of program: String) -> String? {
        folders.lazy.map { "\($0)/\(program)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
