import Foundation
import Testing

@testable import Age

/// Attacker 5: a file of line feeds alone that would take seventy times as much memory as it is long.
@Suite(.timeLimit(.minutes(30)))
struct ArmorMemoryExitTests {
    private static func peak() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return 1024 * (try #require(Int(line.filter(\.isNumber))))
    }

    @Test func linesAreNotKeptAsAList() async {
        await #expect(processExitsWith: .success) {
            let file = Array("-----BEGIN AGE ENCRYPTED FILE-----".utf8) + [UInt8](repeating: 0x0A, count: 4 << 20)
            try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
            let before = try ArmorMemoryExitTests.peak()
            #expect(throws: AgeError.self) { try AgeArmor.decode(file) }
            try #require(try ArmorMemoryExitTests.peak() - before < 64 << 20)
        }
    }
}
