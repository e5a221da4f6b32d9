import Foundation
import Glibc
import Platform
import Synchronization
import TPM

/// An attacker between broker and TPM who may change what passes. It serves one connection after another, as swtpm does.
public final class WireTap: Sendable {
    public typealias Change = @Sendable (_ command: [UInt8], _ bytes: inout [UInt8]) -> Void

    private let folder: TemporaryFolder
    private let listener: Int32
    public let configuration: TCTIConfiguration

    public init(
        _ tpm: SWTPM, command: @escaping Change = { _, _ in }, answer: @escaping Change = { _, _ in }
    ) throws {
        folder = try TemporaryFolder()
        let path = folder.path + "/tap"
        configuration = .swtpm(path: path)
        let number = try UnixListener(path: path, mode: 0o600).release()
        listener = number
        let behind = tpm.socket
        Thread {
            let listener = UnixListener(adopting: Descriptor(adopting: number))
            // If something fails here, the client's expectation fails.
            while let connection = try? listener.accept() {
                // If something fails here, the client's expectation fails.
                try? Self.serve(UnixSocket(adopting: connection), UnixSocket(connectingTo: behind), command, answer)
            }
        }.start()
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    private static func serve(
        _ front: borrowing UnixSocket, _ back: borrowing UnixSocket, _ command: Change, _ answer: Change
    ) throws {
        for socket in [front.number, back.number] where fcntl(socket, F_SETFL, 0) != 0 {
            throw SystemError("wait on a socket", errno: errno)
        }
        while let original = try message(front) {
            var bytes = original
            command(original, &bytes)
            try back.send(bytes)
            guard var reply = try message(back) else { return }
            answer(original, &reply)
            try front.send(reply)
        }
    }

    /// One whole command or answer, as long as its header says; nil if the peer has closed the connection.
    private static func message(_ socket: borrowing UnixSocket) throws -> [UInt8]? {
        let file = FileHandle(fileDescriptor: socket.number, closeOnDealloc: false)
        guard let header = try bytes(10, file) else { return nil }
        guard let rest = try bytes(max(0, header[2..<6].reduce(0) { $0 << 8 | Int($1) } - 10), file) else { return nil }
        return header + rest
    }

    private static func bytes(_ count: Int, _ file: FileHandle) throws -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count < count {
            guard let more = try file.read(upToCount: count - bytes.count), !more.isEmpty else { return nil }
            bytes += more
        }
        return bytes
    }
}

/// Compares bytes 6–9 of a command, its code.
public func isCommand(_ code: CommandCode, _ command: [UInt8]) -> Bool {
    command[6..<10].reduce(0) { $0 << 8 | UInt32($1) } == code.rawValue
}

extension WireTap {
    /// Something before a TPM that spares its memory: while it does, it counts nothing, and says so.
    ///
    /// - Parameter isSparing: is asked for each command that would count.
    public static func sparing(_ tpm: SWTPM, while isSparing: @escaping @Sendable () -> Bool) throws -> WireTap {
        let isRefused = Mutex(false)
        return try WireTap(
            tpm,
            command: { command, bytes in
                guard isCommand(.nvIncrement, command) else { return }
                let refuses = isSparing()
                isRefused.withLock { $0 = refuses }
                // Keeps the TPM from counting, with a code that no command has.
                if refuses { bytes.replaceSubrange(6..<10, with: [0, 0, 0x01, 0xFF]) }
            },
            answer: { command, answer in
                // TPM_RC_NV_RATE.
                guard isCommand(.nvIncrement, command), isRefused.withLock({ $0 }) else { return }
                answer = [0x80, 0x01, 0, 0, 0, 10, 0, 0, 0x09, 0x20]
            })
    }
}
