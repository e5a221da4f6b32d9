import CLinux
import Dispatch
import Foundation
import Platform

/// A process of its own, of this or another user, that has connections to the broker and the authenticator and says there what it is told to.
public final class OtherProcess: Sendable {
    public let identity: ProcessIdentity
    private let input: FileHandle
    private let lines: LineReader
    private let pid: Int32

    // A line in is a connection's number and a message out, an answer is a line out; "EOF" when there is none. "open PATH" gives a new number.
    private static let program = #"""
        use IO::Socket::UNIX; $| = 1; $SIG{PIPE} = 'IGNORE'; my @s;
        sub open_socket { my $s = IO::Socket::UNIX->new(Peer => $_[0]); push @s, $s; print $s ? $#s : "refused", "\n"; return $s }
        exit 1 unless open_socket($ARGV[0]);
        while (my $line = <STDIN>) {
            chomp $line; my ($which, $message) = split / /, $line, 2;
            if ($which eq "open") { open_socket($message); next }
            my $s = $s[$which];
            if ($message eq "close") { close $s if $s; $s[$which] = undef; print "closed\n"; next }
            if (!$s) { print "EOF\n"; next }
            print $s "$message\0"; $s->flush;
            local $/ = "\0"; my $answer = <$s>; if (defined $answer) { chomp $answer; print "$answer\n" } else { print "EOF\n" }
        }
        """#

    /// - Parameters:
    ///   - uid: nil for this user; another one needs root.
    ///   - groups: what the process itself belongs to, by its own list; only with a uid.
    public init(socket: String, uid: UInt32? = nil, groups: [UInt32] = []) async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let perl = ["perl", "-e", Self.program, socket]
        if let uid {
            let list = groups.map { "\($0)" }.joined(separator: ",")
            process.arguments =
                ["setpriv", "--reuid", "\(uid)", "--regid", "\(uid)"]
                + (groups.isEmpty ? ["--clear-groups"] : ["--groups", list]) + ["--"] + perl
        } else {
            process.arguments = perl
        }
        process.currentDirectoryURL = URL(fileURLWithPath: "/")
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        self.pid = process.processIdentifier
        self.input = input.fileHandleForWriting
        self.lines = LineReader(output.fileHandleForReading)
        guard try await lines.next() == "0" else {
            throw Tool.Failure(description: "the other process could not connect")
        }
        identity = try ProcessIdentity(observing: pid)
    }

    deinit {
        // Its input ends with this, and then it does.
        try? input.close()
    }

    /// Sends a message, gives back the answer as text; "EOF" when the connection was closed instead.
    /// - Parameter connection: the first one, or one of `connect(to:)`.
    public func say(_ message: String, on connection: Int = 0) async throws -> String {
        try input.write(contentsOf: Data("\(connection) \(message)\n".utf8))
        return try await lines.next()
    }

    /// One more connection of the same process.
    public func connect(to socket: String) async throws -> Int {
        try input.write(contentsOf: Data("open \(socket)\n".utf8))
        guard let number = Int(try await lines.next()) else {
            throw Tool.Failure(description: "the other process could not connect")
        }
        return number
    }

    public func close(_ connection: Int) async throws {
        try input.write(contentsOf: Data("\(connection) close\n".utf8))
        _ = try await lines.next()
    }

    /// Ends the process and returns when it is gone.
    public func end() async throws {
        let held = Descriptor(adopting: coffer_pidfd_open(pid))
        // Not by the end of its input alone: a process that was started at the same moment may hold a copy of that pipe.
        kill(pid, SIGKILL)
        try input.close()
        guard try held.waitToRead(until: .now + .seconds(10)) else {
            throw Tool.Failure(description: "the other process did not end")
        }
    }

    /// Reads lines on a thread of its own.
    private final class LineReader: Sendable {
        private let queue = DispatchQueue(label: "line-reader")
        private let buffer: Buffer

        // @unchecked Sendable: used on the reader's own queue only.
        private final class Buffer: @unchecked Sendable {
            let handle: FileHandle
            var rest = Data()
            init(_ handle: FileHandle) { self.handle = handle }
        }

        init(_ handle: FileHandle) { buffer = Buffer(handle) }

        func next() async throws -> String {
            try await withCheckedThrowingContinuation { continuation in
                queue.async { [buffer] in
                    while true {
                        if let end = buffer.rest.firstIndex(of: 10) {
                            let line = String(decoding: buffer.rest[..<end], as: UTF8.self)
                            buffer.rest = Data(buffer.rest[(end + 1)...])
                            continuation.resume(returning: line)
                            return
                        }
                        let more = buffer.handle.availableData
                        if more.isEmpty {
                            continuation.resume(throwing: Tool.Failure(description: "the other process ended"))
                            return
                        }
                        buffer.rest += more
                    }
                }
            }
        }
    }
}
