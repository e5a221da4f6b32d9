import CofferTestKit
import Foundation
import Platform

@testable import TPM

/// Somebody between broker and TPM, who may change what passes. Serves one connection.
final class WireTap: Sendable {
    typealias Change = @Sendable (_ command: [UInt8], _ bytes: inout [UInt8]) -> Void

    private let folder: TemporaryFolder
    let configuration: TCTIConfiguration

    init(_ tpm: SWTPM, command: @escaping Change = { _, _ in }, answer: @escaping Change = { _, _ in }) throws {
        folder = try TemporaryFolder()
        let path = folder.path + "/tap"
        configuration = .swtpm(path: path)
        let number = try UnixListener(path: path, mode: 0o600).release()
        let behind = tpm.configuration
        Thread {
            // Where something fails here the client's expectation fails.
            let listener = UnixListener(adopting: Platform.Descriptor(adopting: number))
            guard let connection = try? listener.accept(),
                let channel = try? Channel(behind, limit: .seconds(8), observer: nil)
            else { return }
            let front = connection.release()
            defer { close(front) }
            while var bytes = Self.message(front) {
                let original = bytes
                command(original, &bytes)
                // As above: nothing more is passed on.
                guard (try? channel.send(bytes)) != nil, var reply = try? channel.receive() else { return }
                answer(original, &reply)
                guard TPM.Descriptor.write(front, reply[...]) == reply.count else { return }
            }
        }.start()
    }

    /// One whole command, or nil where the client has gone.
    private static func message(_ number: CInt) -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count < 10 || bytes.count < bytes[2..<6].reduce(0, { $0 << 8 | Int($1) }) {
            guard TPM.Descriptor.read(number, into: &bytes, limit: 4096) > 0 else { return nil }
        }
        return bytes
    }
}

func isCommand(_ code: CommandCode, _ command: [UInt8]) -> Bool {
    command[6..<10].reduce(0) { $0 << 8 | UInt32($1) } == code.rawValue
}
