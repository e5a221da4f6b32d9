import Dispatch
import Foundation
import Platform

/// A process of its own, of this or another user, that has connections to the broker and the authenticator and says there what it is told to.
public final class OtherProcess: Sendable {
    public let identity: ProcessIdentity
    private let process: Subprocess
    private let lines: LineReader

    // A line in is a connection's number and a message out, an answer is a line out; "EOF" when there is none. "open PATH" gives a new number.
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
    ///   - uid: nil for this user; another one needs root.
    ///   - groups: what the process itself belongs to, by its own list; only with a uid.
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
            // Nobody else would take note of its end, and Swift Testing, which waits for its own processes, would look at nothing else any more.
            try process.end()
            throw error
        }
    }

    deinit {
        // What SIGKILL does not end, a test cannot end either.
        try? process.end()
    }

    /// Sends a message, gives back the answer as text; "EOF" when the connection was closed instead.
    /// - Parameter connection: the first one, or one of `connect(to:)`.
    public func say(_ message: String, on connection: Int = 0) async throws -> String {
        try process.write("\(connection) \(message)\n")
        return try await lines.next()
    }

    /// The next message that comes without anything being asked; "EOF" when the connection was closed instead, "silence" after 100 seconds or ``patience``, if that is shorter.
    public func hear(on connection: Int = 0) async throws -> String {
        try process.write("\(connection) hear\n")
        return try await lines.next()
    }

    /// One more connection of the same process.
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

    /// Ends the process and returns when it is gone.
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
