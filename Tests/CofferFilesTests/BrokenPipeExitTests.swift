import Coffer
import Foundation
import Testing

@testable import CofferFiles

/// Exports to a reader that has gone. Without the protection, the process ends by a signal.
@Suite(.serialized) struct BrokenPipeExitTests {
    enum Reader: String, CaseIterable, Codable, Sendable {
        case pipe, socket
    }

    /// - Returns: a descriptor whose reader has gone.
    private static func withoutReader(_ reader: Reader) -> Int32 {
        var ends: [Int32] = [-1, -1]
        let made: Int32
        switch reader {
        case .pipe: made = unsafe pipe(&ends)
        case .socket: made = unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
        }
        guard made == 0, close(ends[0]) == 0 else { exit(99) }
        return ends[1]
    }

    @Test(arguments: Reader.allCases)
    func aReaderThatHasGoneIsAnErrorAndNoSignal(_ reader: Reader) async throws {
        let scratch = try Scratch()
        try await scratch.files().write(sample(100_000), to: "f")
        let path = scratch.path
        await #expect(processExitsWith: .success) { [path = path as String, reader = reader as Reader] in
            signal(SIGPIPE, SIG_DFL)
            let files = try Scratch.files(path)
            let number = Self.withoutReader(reader)
            for _ in 0..<2 {
                do throws(KeychainError) {
                    try await files.export("f", toDescriptor: number)
                    exit(1)
                } catch { guard error.code == .failed else { exit(2) } }
            }
        }
    }

    /// The export changes nothing about the signal: what the program itself writes ends it as before.
    @Test func theSignalIsTheProgramsAsBefore() async throws {
        let scratch = try Scratch()
        try await scratch.files().write(sample(1000), to: "f")
        let path = scratch.path
        await #expect(processExitsWith: .signal(SIGPIPE)) { [path = path as String] in
            signal(SIGPIPE, SIG_DFL)
            let files = try Scratch.files(path)
            let number = Self.withoutReader(.pipe)
            do throws(KeychainError) {
                try await files.export("f", toDescriptor: number)
                exit(1)
            } catch { guard error.code == .failed else { exit(2) } }
            let byte: [UInt8] = [1]
            _ = unsafe write(number, byte, 1)
        }
    }
}
