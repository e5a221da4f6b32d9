import Foundation
import Platform
import TestSupport

/// A person's shell in a terminal of its own. It leads a session, and starts a client of the authenticator for each
/// order, in its session or outside of it. It ends with the value.
final class Puppet: Sendable {
    struct Order: Encodable {
        /// `open` (only connect, begin nothing), `begin`, `authorize`, `forget`.
        var call: String
        var challenge: String? = UUID().uuidString
        var seconds: Int?
        /// The answer to a question.
        var password = Fixture.password
        /// A session of its own, without a terminal.
        var setsid = false
        /// Becomes this user first (root only).
        var uid: UInt32?
        /// Becomes the leader of another session on the same terminal, which takes it over.
        var steal = false

        static let open = Order(call: "open")
        static let begin = Order(call: "begin")
        static let forget = Order(call: "forget")
        static func authorize(_ seconds: Int) -> Order { Order(call: "authorize", seconds: seconds) }
    }

    struct Outcome: Decodable {
        /// The messages that were shown, of every style.
        var messages: [String]
        /// How often a secret was asked for.
        var questions: Int
        var done: Bool
        /// The error's name.
        var error: String?
        var ended: Int?
        var text: String?
    }

    private let fixture: Fixture
    private let process: Subprocess

    /// - Parameter fixture: it must live as long as this.
    init(_ fixture: Fixture) throws {
        self.fixture = fixture
        process = try Subprocess("/usr/bin/python3", ["-c", Self.program, "\(fixture.path)/auth.sock"]) {
            $0.directory = "/"
            $0.input = .pipe
            $0.output = .pipe
            $0.errors = .inherited
        }
        guard line() == "ready" else { throw SystemError("start a shell in a terminal", reason: "it ended") }
    }

    deinit {
        // Its input ends. Then it ends, with everything that it has started.
        process.closeInput()
        // The wait has a limit. A process that hangs has failed a test already.
        _ = try? process.finish()
    }

    /// Lets one of its clients do something, and waits for the result.
    func perform(_ order: Order) throws -> Outcome {
        let bytes = try JSONEncoder().encode(order)
        try process.write(bytes + [10])
        return try JSONDecoder().decode(Outcome.self, from: Data(line().utf8))
    }

    private func line() -> String {
        var bytes: [UInt8] = []
        // A shell that has ended says no more.
        while let next = (try? process.read(limit: 1))?.first, next != 10 { bytes.append(next) }
        return String(decoding: bytes, as: UTF8.self)
    }

    // One process on a new terminal, which forks a client for each line that it reads. A client that is told to `open` stays until the end.
    private static let program = #"""
        import fcntl, json, os, pty, signal, socket, sys, termios
        def converse(order, out):
            s = socket.socket(socket.AF_UNIX); s.settimeout(600); s.connect(sys.argv[1])
            rest = b""
            def receive():
                nonlocal rest
                while b"\0" not in rest:
                    more = s.recv(65536)
                    if not more: return None
                    rest += more
                message, rest = rest.split(b"\0", 1)
                return json.loads(message)
            def call(name, **parameters):
                s.sendall(json.dumps({"method": "org.coffer.Authentication." + name, "parameters": parameters}).encode() + b"\0")
                return receive()
            result = {"messages": [], "questions": 0, "done": False}
            verb = order["call"]
            if verb == "authorize": answer = call("Authorize", seconds=order["seconds"])
            elif verb == "forget": answer = call("Forget")
            else:
                try: answer = call("Begin", challenge=order["challenge"])
                except OSError: answer = receive()
            while answer and "error" not in answer and answer["parameters"].get("message"):
                message = answer["parameters"]["message"]
                result["messages"].append(message["text"])
                if verb == "open": break
                if message["style"] == "secret":
                    result["questions"] += 1
                    answer = call("Continue", answer=order["password"])
                else: answer = call("Continue")
            if not answer: result["error"] = "closed"
            elif "error" in answer:
                result["error"] = answer["error"]; result["text"] = answer["parameters"].get("message")
            else:
                result["done"] = answer["parameters"].get("done", False)
                if "ended" in answer["parameters"]: result["ended"] = answer["parameters"]["ended"]
            out.write(json.dumps(result) + "\n"); out.flush()
            if verb == "open": signal.pause()
        orders = os.fdopen(os.dup(0)); out = os.fdopen(os.dup(1), "w")
        shell, master = pty.fork()
        if shell:
            orders.close(); out.close(); os.close(0)
            try:
                while os.read(master, 4096): pass
            except OSError: pass
            os.waitpid(shell, 0); sys.exit()
        out.write("ready\n"); out.flush()
        kept = []
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        for line in orders:
            order = json.loads(line)
            client = os.fork()
            if client == 0:
                try:
                    if order["setsid"]: os.setsid()
                    if order["steal"]:
                        os.setsid()
                        terminal = os.open(os.ttyname(0), os.O_RDWR | os.O_NOCTTY)
                        fcntl.ioctl(terminal, termios.TIOCSCTTY, 1)
                    if order.get("uid") is not None: os.setgroups([]); os.setgid(order["uid"]); os.setuid(order["uid"])
                    converse(order, out)
                except Exception as error:
                    out.write(json.dumps({"messages": [], "questions": 0, "done": False, "error": repr(error)}) + "\n"); out.flush()
                os._exit(0)
            if order["call"] == "open": kept.append(client)
            else: os.waitpid(client, 0)
        for client in kept: os.kill(client, signal.SIGKILL); os.waitpid(client, 0)
        """#
}
