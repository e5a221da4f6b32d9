import Foundation
import Testing

@testable import XML

/// Attacker 10: a server's document of a megabyte that would take a hundred times as much memory as it is long.
@Suite(.timeLimit(.minutes(30)))
struct HostileDocumentExitTests {
    /// The most memory that this process had at once while it read a document, in bytes beyond what it had before.
    private static func memory(of document: String) throws -> Int {
        let bytes = Array(document.utf8)
        try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
        let before = try peak()
        _ = try XMLDocument.read(bytes)
        return try peak() - before
    }

    private static func peak() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return 1024 * (try #require(Int(line.filter(\.isNumber))))
    }

    private static let long = String(repeating: "a", count: 1 << 14)

    @Test func aNamespaceIsNotKeptForEachPart() async {
        await #expect(processExitsWith: .success) {
            let parts = String(repeating: "<a/>", count: 20_000)
            try #require(
                try HostileDocumentExitTests.memory(of: "<m xmlns=\"\(HostileDocumentExitTests.long)\">\(parts)</m>")
                    < 64 << 20)
            let more = String(repeating: "<p:a/>", count: 20_000)
            try #require(
                try HostileDocumentExitTests.memory(of: "<m xmlns:p=\"\(HostileDocumentExitTests.long)\">\(more)</m>")
                    < 64 << 20)
        }
    }

    @Test func aNamespaceIsNotKeptForEachAttribute() async {
        await #expect(processExitsWith: .success) {
            let attributes = (0..<20_000).map { "p:a\($0)=\"\"" }.joined(separator: " ")
            try #require(
                try HostileDocumentExitTests.memory(
                    of: "<m xmlns:p=\"\(HostileDocumentExitTests.long)\" \(attributes)/>") < 64 << 20)
        }
    }
}
