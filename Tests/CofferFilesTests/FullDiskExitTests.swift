import Coffer
import Foundation
import Testing

@testable import CofferFiles

/// Writes that the disk refuses in the middle.
@Suite(.serialized) struct FullDiskExitTests {
    /// From here on, no file of this process grows beyond so many bytes, as if the disk were full.
    private static func limitFiles(to size: UInt) throws {
        // Otherwise the signal ends the process, and the call does not fail.
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { exit(99) }
        limit.rlim_cur = min(rlim_t(size), limit.rlim_max)
        guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { exit(98) }
    }

    /// Ends the process unless this fails, and unless the error is that of the disk, or of a part before.
    private static func expect(isEarlier: Bool, _ number: Int32, _ error: KeychainError) {
        guard error.code == .failed, error.message.contains("earlier") == isEarlier else { exit(number) }
    }

    /// Later parts would have a hole before them.
    @Test func aWriterThatHasFailedTakesNothingMoreAndGetsNoName() async throws {
        let scratch = try Scratch()
        try await scratch.files().write([1], to: "f")
        let path = scratch.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            let files = try Scratch.files(path)
            var writer = try await files.writer(to: "f")
            try Self.limitFiles(to: 100_000)
            do throws(KeychainError) {
                try await writer.write(sample(200_000))
                exit(1)
            } catch { Self.expect(isEarlier: false, 2, error) }
            do throws(KeychainError) {
                try await writer.write([1])
                exit(3)
            } catch { Self.expect(isEarlier: true, 4, error) }
            try Self.limitFiles(to: 1 << 30)
            do throws(KeychainError) {
                try await writer.finish()
                exit(5)
            } catch { Self.expect(isEarlier: true, 6, error) }
        }
        #expect(try await scratch.files().read("f") == [1])
        #expect(try scratch.keys().ids.count == 1)
        #expect(try scratch.parts().isEmpty)
    }

    /// The first error counts, and neither a key nor a part of the file stays.
    @Test func aWriteThatTheDiskRefusesLeavesEverythingAsItWas() async throws {
        let scratch = try Scratch()
        let files = try scratch.files()
        try await files.write([1], to: "f")
        try await files.write(sample(200_000), to: "large")
        let path = scratch.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            let files = try Scratch.files(path)
            try Self.limitFiles(to: 100_000)
            do throws(KeychainError) {
                try await files.write(sample(200_000), to: "f")
                exit(1)
            } catch { Self.expect(isEarlier: false, 2, error) }
            let stream = AsyncThrowingStream<[UInt8], any Error> { continuation in
                for _ in 0..<4 { continuation.yield(sample(50_000)) }
                continuation.finish()
            }
            do throws(FileStreamError<any Error>) {
                try await files.write(from: stream, to: "f")
                exit(3)
            } catch {
                guard case .file(let error) = error else { exit(4) }
                Self.expect(isEarlier: false, 5, error)
            }
            do throws(KeychainError) {
                try await files.move("large", to: "other")
                exit(6)
            } catch { Self.expect(isEarlier: false, 7, error) }
            // The last part is written at the end.
            var writer = try await files.writer(to: "f")
            try await writer.write(sample(1000))
            try Self.limitFiles(to: 500)
            do throws(KeychainError) {
                try await writer.finish()
                exit(8)
            } catch { Self.expect(isEarlier: false, 9, error) }
        }
        #expect(try await files.read("f") == [1])
        #expect(try await files.read("large") == sample(200_000))
        #expect(try await files.list().map(\.path) == ["f", "large"])
        #expect(try scratch.keys().ids.count == 2)
        #expect(try scratch.parts().isEmpty)
    }
}
