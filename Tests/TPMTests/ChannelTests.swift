import Foundation
import Platform
import TestSupport
import Testing

@testable import TPM

/// Something hostile or broken in the TPM's place.
struct ChannelTests {
    /// The result of a request for handles if the first command is answered with these bytes, piece by piece.
    private func outcome(_ pieces: [[UInt8]], keepOpen: Bool = false, limit: Duration = patience) throws -> TPMError
        .Code?
    {
        let folder = try TemporaryFolder()
        let listener = try UnixListener(path: folder.path + "/fake", mode: 0o600)
        let number = listener.release()
        let server = Thread {
            let listener = UnixListener(adopting: Descriptor(adopting: number))
            // If this fails, the client's expectation fails.
            guard let connection = try? listener.accept() else { return }
            let socket = UnixSocket(adopting: connection)
            for piece in pieces { try? socket.send(piece) }
            // Held open until the client has gone, or closed at once.
            while keepOpen, !socket.peerHasClosed() { Thread.sleep(forTimeInterval: 0.005) }
        }
        server.start()
        let channel = try Channel(.swtpm(path: folder.path + "/fake"), limit: limit, observer: nil)
        return code { _ = try Capability.handles(.transient, channel) }
    }

    /// TPM_ST_NO_SESSIONS, size, success, then moreData, TPM_CAP_HANDLES and one handle.
    private let answer: [UInt8] = [0x80, 0x01, 0, 0, 0, 23, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0x80, 0, 0, 0]

    @Test func anAnswerInPiecesIsPutTogether() throws {
        #expect(try outcome([answer], keepOpen: true) == nil)
        #expect(try outcome(answer.map { [$0] }, keepOpen: true) == nil)
    }

    @Test func aShortAnswerIsWaitedForUntilTheDeadline() throws {
        #expect(try outcome([[UInt8](answer.dropLast())], keepOpen: true, limit: .milliseconds(300)) == .deadline)
        #expect(try outcome([[0x80]], keepOpen: true, limit: .milliseconds(300)) == .deadline)
    }

    @Test func aConnectionClosedInAnAnswerIsUnavailable() throws {
        #expect(try outcome([[UInt8](answer.dropLast())]) == .unavailable)
        #expect(try outcome([]) == .unavailable)
    }

    @Test(
        arguments: [[0, 0, 0, 0], [0, 0, 0, 9], [0, 0, 0x10, 0x01], [0xFF, 0xFF, 0xFF, 0xFF], [0, 0, 0, 12]]
            as [[UInt8]])
    func anAnswerThatLiesAboutItsSizeIsRefused(size: [UInt8]) throws {
        var lying = answer
        lying.replaceSubrange(2..<6, with: size)
        #expect(try outcome([lying], keepOpen: true) == .unavailable)
    }

    @Test func anAnswerThatListsMoreThanItHoldsIsRefused() throws {
        for count: UInt8 in [2, 255] {
            var lying = answer
            lying[18] = count
            #expect(try outcome([lying], keepOpen: true) != nil)
        }
    }

    @Test func anEndlessAnswerIsRefused() throws {
        let endless: [UInt8] = [0x80, 0x01, 0x00, 0x00, 0x20, 0x00] + [UInt8](repeating: 0, count: 100_000)
        #expect(try outcome([endless], keepOpen: true) == .unavailable)
    }

    @Test func addressesAreReadStrictly() throws {
        #expect(try TCTIConfiguration(parsing: "device:/dev/tpmrm0") == .device(path: "/dev/tpmrm0"))
        #expect(try TCTIConfiguration(parsing: "swtpm:path=/run/x.sock") == .swtpm(path: "/run/x.sock"))
        for text in [
            "", "device:", "device:/dev/tpm0", "device:tpmrm0", "swtpm:path=x", "swtpm:host=localhost", "mssim",
            "tabrmd:",
        ] {
            #expect(throws: TPMError(.unavailable, "")) { try TCTIConfiguration(parsing: text) }
        }
    }
}
