import Foundation
import Platform
import Synchronization
import TestSupport

/// A socket that answers each call with the next of a list of answers, and keeps the calls. After the last answer it
/// sends nothing.
final class ScriptedSocket: Sendable {
    private let number: Int32
    private let asked = Mutex<[String]>([])

    init(path: String, answers: [String]) throws {
        number = try UnixListener(path: path, mode: 0o666).release()
        Thread { [self] in
            let listener = UnixListener(adopting: Descriptor(adopting: number))
            // Ends when the listening socket is shut down.
            while let accepted = try? listener.accept() { serve(UnixSocket(adopting: accepted), answers) }
        }.start()
    }

    private func serve(_ accepted: consuming UnixSocket, _ answers: [String]) {
        var connection = accepted
        var left = answers[...]
        // Any end of the connection ends its service.
        while let call = (try? connection.receiveMessage(limit: 64 << 10, until: .now + patience)) ?? nil {
            asked.withLock { $0.append(String(decoding: call, as: UTF8.self)) }
            guard let answer = left.popFirst() else { continue }
            // A login that has gone on takes no answer.
            try? connection.send(Array(answer.utf8) + [0], until: .now + patience)
        }
    }

    /// The calls, as they came.
    var calls: [String] { asked.withLock { $0 } }

    func stop() { shutdown(number, Int32(SHUT_RDWR)) }
}
