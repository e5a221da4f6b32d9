import Dispatch
import Foundation
import Platform

/// A separate process, of this or another user. It has connections to the broker and the authenticator, and sends there what a test wants.
public final class OtherProcess: Sendable {
    public let identity: ProcessIdentity
    private let process: Subprocess
    private let lines: LineReader

    // Each input line is a connection's number and a message. Each output line is an answer, or "EOF" if there is none. "open PATH" returns a new
    // connection's number.
    private static let program = #"""
        use IO::Socket::UNIX; $| = 1; $SIG{PIPE} = 'IGNORE'; my @s;
        sub open_socket { my $s = IO::Socket::UNIX->new(Peer => $_[0]); push @s, $s; print $s ? $#s : "refused", "\n"; return $s }
        exit 1 unless open_socket($ARGV[0]);
        while (my $line = <STDIN>) {
            chomp $line; my ($which, $message) = split / /, $line, 2;
            if ($which eq "open") { open_socket($message); next }
            my $s = $s[$which];
            if ($message eq "hear") {
                local $/ = "\0"; my $answer = "silence";
                eval { local $SIG{ALRM} = sub { die }; alarm $ARGV[1]; $answer = <$s>; alarm 0 };
                if (defined $answer) { chomp $answer; print "$answer\n" } else { print "EOF\n" }
                next;
            }
            if ($message eq "close") { close $s if $s; $s[$which] = undef; print "closed\n"; next }
            if (!$s) { print "EOF\n"; next }
            print $s "$message\0"; $s->flush;
            local $/ = "\0"; my $answer = <$s>; if (defined $answer) { chomp $answer; print "$answer\n" } else { print "EOF\n" }
        }
        """#

    /// In seconds.
    private static let longestSilence = min(100, patience.components.seconds)

    /// - Parameters:
    ///   - uid: nil for this user; another user needs root.
    ///   - groups: the process's own list of groups; only with a uid.
    public init(socket: String, uid: UInt32? = nil, groups: [UInt32] = []) async throws {
        var words = ["perl", "-e", Self.program, socket, "\(Self.longestSilence)"]
        if let uid {
            let list = groups.map { "\($0)" }.joined(separator: ",")
            words =
                ["setpriv", "--reuid", "\(uid)", "--regid", "\(uid)"]
                + (groups.isEmpty ? ["--clear-groups"] : ["--groups", list]) + ["--"] + words
        }
        process = try Subprocess("/usr/bin/env", words) {
            $0.directory = "/"
            $0.input = .pipe
            $0.output = .pipe
            $0.errors = .inherited
        }
        lines = LineReader(process)
        do {
            guard try await lines.next() == "0" else {
                throw Tool.Failure(description: "the other process could not connect")
            }
            identity = try ProcessIdentity(observing: process.pid)
        } catch {
            // Swift Testing waits for child processes of its own. It would stall if nobody reaped this one.
            try process.end()
            throw error
        }
    }

    deinit {
        // If SIGKILL does not end it, a test cannot end it either.
        try? process.end()
    }

    /// Sends a message and returns the answer as text; "EOF" if the connection was closed instead.
    /// - Parameter connection: 0 for the first connection, or a number from `connect(to:)`.
    public func say(_ message: String, on connection: Int = 0) async throws -> String {
        try process.write("\(connection) \(message)\n")
        return try await lines.next()
    }

    /// The next message that comes unasked. It is "EOF" if the connection was closed, and "silence" after 100 seconds, or after ``patience`` if that
    /// is shorter.
    public func hear(on connection: Int = 0) async throws -> String {
        try process.write("\(connection) hear\n")
        return try await lines.next()
    }

    /// Opens another connection of the same process.
    public func connect(to socket: String) async throws -> Int {
        try process.write("open \(socket)\n")
        guard let number = Int(try await lines.next()) else {
            throw Tool.Failure(description: "the other process could not connect")
        }
        return number
    }

    public func close(_ connection: Int) async throws {
        try process.write("\(connection) close\n")
        _ = try await lines.next()
    }

    /// Ends the process and waits until it is gone.
    public func end() async throws { try process.end() }

    /// Reads lines on a thread of its own.
    private final class LineReader: Sendable {
        private let queue = DispatchQueue(label: "line-reader")
        private let buffer: Buffer

        // @unchecked Sendable: used on the reader's own queue only.
        private final class Buffer: @unchecked Sendable {
            let process: Subprocess
            var rest: [UInt8] = []
            init(_ process: Subprocess) { self.process = process }

            func next() throws -> String {
                while true {
                    if let end = rest.firstIndex(of: 10) {
                        let line = String(decoding: rest[..<end], as: UTF8.self)
                        rest.removeSubrange(...end)
                        return line
                    }
                    let more = try process.read(limit: 65536)
                    guard !more.isEmpty else { throw Tool.Failure(description: "the other process ended") }
                    rest += more
                }
            }
        }

        init(_ process: Subprocess) { buffer = Buffer(process) }

        func next() async throws -> String {
            try await withCheckedThrowingContinuation { continuation in
                queue.async { [buffer] in
                    continuation.resume(with: Result { try buffer.next() })
                }
            }
        }
    }
}
