import Foundation
import Platform
import Varlink

/// A program as the service manager starts it: with the clients' socket as descriptor 3. It ends with this value.
public struct ActivatedProgram: ~Copyable {
    private static let start = #"""
        import os, socket, sys
        listener = socket.socket(socket.AF_UNIX); listener.bind(sys.argv[1]); listener.listen(8)
        os.dup2(listener.fileno(), 3); os.set_inheritable(3, True)
        os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1")
        os.execvp(sys.argv[2], sys.argv[2:])
        """#

    private let process: Subprocess
    private let socket: String

    /// - Parameter socket: the path of the socket. What the program says on standard error goes to `socket.log`.
    public init(_ command: [String], socket: String) throws {
        self.socket = socket
        process = try Subprocess("/usr/bin/python3", ["-c", Self.start, socket] + command) {
            $0.errors = .file(socket + ".log")
        }
    }

    /// A new connection. The socket's file is there a moment before somebody listens.
    public func connected() throws -> VarlinkConnection {
        let end = ContinuousClock.now + patience
        while true {
            do { return try VarlinkConnection(path: socket, until: end) } catch {
                guard ContinuousClock.now < end else { throw error }
                Thread.sleep(forTimeInterval: 0.01)
            }
        }
    }

    /// Ends the program.
    public consuming func end() throws { try process.end() }
}
