import Dispatch
import Foundation
import Platform

/// Real processes with the parents that a test wants. Each can start others, end, and talk to the broker and the authenticator as any program does.
/// All of them end with the value.
public final class ProcessTree: Sendable {
    private let folder: String
    private let process: Subprocess
    /// The first process. All others descend from it.
    public let root: Node

    /// - Parameter environment: more variables for all processes.
    public init(environment: [String: String] = [:]) throws {
        let folder = NSTemporaryDirectory() + "coffer-tree-" + UUID().uuidString.prefix(13)
        // Also for processes of other users.
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o777])
        try FileManager.default.setAttributes([.posixPermissions: 0o1777], ofItemAtPath: folder)
        self.folder = folder
        process = try Subprocess("/usr/bin/python3", ["-c", Self.program, folder]) {
            $0.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
            $0.directory = "/"
            $0.input = .pipe
            $0.output = .pipe
            $0.errors = .inherited
        }
        root = Node(folder: folder, name: "root")
        guard try process.read(limit: 1) == Array("+".utf8) else {
            throw SystemError("start a tree of processes", reason: "the first one ended")
        }
    }

    deinit {
        // The first process sees the end of its input, and ends all others.
        process.closeInput()
        // The wait has a limit. A process that hangs has failed a test already.
        _ = try? process.finish()
        // It does no harm if a temporary folder stays behind.
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// The answer to an order.
    public struct Reply: Decodable, Sendable {
        public var pid: Int32?
        public var parent: Int32?
        /// The error's name.
        public var error: String?
        /// The parameters of the last answer, as JSON.
        public var answer: String?
        /// The messages that were shown, of every style.
        public var messages: [String]?
        /// How often a secret was asked for.
        public var questions: Int?
        public var done: Bool?
        /// Whether the broker has said that a lease covers the request.
        public var leased: Bool?
    }

    /// One process.
    public struct Node: Sendable {
        let folder: String
        let name: String

        /// Starts a child.
        /// - Parameters:
        ///   - uid: becomes this user (root only).
        ///   - pid: gets this number, which must be free (root only).
        ///   - beginsNamespace: becomes the first process of a new PID namespace (root only). Its parent lives on, and does nothing.
        ///   - first: the first process of a PID namespace. The child enters that namespace, and is left there as an orphan (root only).
        public func spawn(
            uid: UInt32? = nil, pid: Int32? = nil, beginsNamespace: Bool = false, entering first: Int32? = nil
        ) throws -> Node {
            let child = Node(folder: folder, name: UUID().uuidString.prefix(8).lowercased())
            var order: [String: Any] = ["do": "spawn", "name": child.name]
            order["uid"] = uid
            order["pid"] = pid
            order["begins"] = beginsNamespace ? true : nil
            order["enters"] = first
            let reply = try perform(order)
            guard reply.pid != nil else { throw SystemError("start a process", reason: reply.error ?? "") }
            return child
        }

        public func identity() throws -> ProcessIdentity {
            guard let pid = try perform(["do": "state"]).pid else { throw SystemError("find a process", errno: ESRCH) }
            return try ProcessIdentity(observing: pid)
        }

        public func parent() throws -> Int32? { try perform(["do": "state"]).parent }

        /// Adopts the orphans among its descendants from now on.
        public func adoptOrphans() throws { _ = try perform(["do": "subreaper"]) }

        /// Ends this process, and waits until it is gone.
        public func end() throws {
            let identity = try identity()
            // It has ended and cannot answer.
            _ = try? perform(["do": "exit"])
            let limit = ContinuousClock.now + patience
            // A process that cannot be found is gone.
            while (try? ProcessIdentity(observing: identity.pid)) == identity {
                guard ContinuousClock.now < limit else { throw SystemError("end a process", errno: ETIMEDOUT) }
                usleep(2000)
            }
        }

        /// Runs another program in its place (execve), which is a node of the same name.
        public func runAnotherProgram() throws { _ = try perform(["do": "exec"]) }

        /// Begins a conversation with the authenticator, and answers it.
        public func begin(
            _ challenge: String, at authenticator: String, password: String
        ) throws -> Reply {
            try perform(["do": "begin", "auth": authenticator, "challenge": challenge, "password": password])
        }

        /// Calls a method, without a conversation.
        public func call(_ method: String, _ parameters: [String: Any] = [:], at socket: String) throws -> Reply {
            try perform(["do": "call", "socket": socket, "method": method, "parameters": parameters])
        }

        /// Calls a method of the broker. If a person is needed, it answers with the password, and repeats the call.
        public func call(
            _ method: String, _ parameters: [String: Any], at socket: String, _ authenticator: String, password: String
        ) throws -> Reply {
            try perform([
                "do": "call", "socket": socket, "method": method, "parameters": parameters, "auth": authenticator,
                "password": password,
            ])
        }

        /// The same from a task, whose thread must not wait.
        /// - Parameter answer: the authenticator, and the password for it; nil for a call that is not repeated.
        public func calling(
            _ method: String, _ parameters: String = "{}", at socket: String,
            answering answer: (authenticator: String, password: String)? = nil
        ) async throws -> Reply {
            try await withCheckedThrowingContinuation { continuation in
                DispatchQueue.global().async {
                    continuation.resume(
                        with: Result {
                            let object =
                                try JSONSerialization.jsonObject(with: Data(parameters.utf8)) as? [String: Any] ?? [:]
                            guard let answer else { return try call(method, object, at: socket) }
                            return try call(
                                method, object, at: socket, answer.authenticator, password: answer.password)
                        })
                }
            }
        }

        private func perform(_ order: [String: Any]) throws -> Reply {
            var socket = try UnixSocket(connectingTo: "\(folder)/\(name)", until: .now + patience)
            try socket.send(Array(try JSONSerialization.data(withJSONObject: order)) + [0], until: .now + patience)
            guard let bytes = try socket.receiveMessage(limit: 1 << 20, until: .now + patience) else {
                throw SystemError("ask a process", reason: "it has ended")
            }
            return try JSONDecoder().decode(Reply.self, from: Data(bytes))
        }
    }

    private static let program = #"""
        import ctypes, json, os, select, signal, socket, sys
        folder = sys.argv[1]
        def messages(s):
            rest = b""
            while True:
                while b"\0" not in rest:
                    more = s.recv(65536)
                    if not more: return
                    rest += more
                message, rest = rest.split(b"\0", 1)
                yield json.loads(message)
        class Line:
            def __init__(self, path):
                self.s = socket.socket(socket.AF_UNIX); self.s.settimeout(600); self.s.connect(path)
                self.incoming = messages(self.s)
            def call(self, method, parameters):
                try: self.s.sendall(json.dumps({"method": method, "parameters": parameters}).encode() + b"\0")
                except OSError: pass
                return next(self.incoming, None)
        def converse(auth, challenge, password, result):
            line = Line(auth)
            prefix = "org.coffer.Authentication."
            answer = line.call(prefix + "Begin", {"challenge": challenge})
            while answer and "error" not in answer and answer["parameters"].get("message"):
                message = answer["parameters"]["message"]
                result["messages"].append(message["text"])
                if message["style"] == "secret":
                    result["questions"] += 1
                    answer = line.call(prefix + "Continue", {"answer": password})
                else: answer = line.call(prefix + "Continue", {})
            if not answer: result["error"] = "closed"
            elif "error" in answer:
                result["error"] = answer["error"]; result["answer"] = json.dumps(answer["parameters"])
            else: result["done"] = answer["parameters"].get("done", False)
        def call(order, result):
            line = Line(order["socket"])
            parameters = order["parameters"]
            for attempt in range(4):
                answer = line.call(order["method"], parameters)
                if not answer: result["error"] = "closed"; return
                result["answer"] = json.dumps(answer.get("parameters", {}))
                result.pop("error", None)
                if "error" not in answer: result["done"] = True; return
                result["error"] = answer["error"]
                if not answer["error"].endswith(".AuthenticationRequired"): return
                result["leased"] = answer["parameters"].get("leased") or False
                if "auth" not in order: return
                converse(order["auth"], answer["parameters"]["challenge"], order["password"], result)
                if not result.pop("done", False): return
                parameters = dict(parameters, challenge=answer["parameters"]["challenge"])
        def state():
            # The numbers that /proc shows, also for a process in another namespace.
            with open("/proc/self/stat") as stat: parent = stat.read().rsplit(")", 1)[1].split()[1]
            return {"pid": int(os.readlink("/proc/self")), "parent": int(parent)}
        def spawn(order, open_sockets):
            ready, tell = os.pipe()
            def fork():
                if order.get("pid"):
                    with open("/proc/sys/kernel/ns_last_pid", "w") as last: last.write(str(order["pid"] - 1))
                return os.fork()
            for attempt in range(5000 if order.get("pid") else 1):
                child = fork()
                if child == 0:
                    if order.get("pid") and os.getpid() != order["pid"]: os._exit(0)
                    for s in open_sockets: s.close()
                    os.close(ready)
                    if order.get("begins") or order.get("enters"):
                        libc = ctypes.CDLL(None, use_errno=True)
                        if order.get("begins"): failed = libc.unshare(0x20000000)
                        else: failed = libc.setns(os.open("/proc/%d/ns/pid" % order["enters"], os.O_RDONLY), 0x20000000)
                        if failed: os._exit(1)
                        if os.fork():
                            os.close(tell)
                            if order.get("begins"): signal.pause()
                            os._exit(0)
                        # Its child is an orphan of the namespace itself, which the first process there adopts.
                        if order.get("enters") and os.fork(): os._exit(0)
                    if order.get("uid") is not None:
                        os.setgroups([]); os.setgid(order["uid"]); os.setuid(order["uid"])
                    try: serve(order["name"], tell, False)
                    finally: os._exit(1)
                if not order.get("pid") or child == order["pid"]: break
            else:
                os.close(tell); os.close(ready); return {"error": "the number is not free"}
            os.close(tell)
            started = os.read(ready, 1) == b"+"
            os.close(ready)
            return {"pid": child} if started else {"error": "it has ended"}
        def replace(name, *sockets):
            # The sockets outlive this program. The next one answers.
            for s in sockets: os.set_inheritable(s.fileno(), True)
            with open("/proc/self/cmdline", "rb") as line: program = line.read().split(b"\0")[2]
            numbers = [str(s.fileno()) for s in sockets]
            os.execv("/usr/bin/env", ["env", sys.executable, "-c", program, folder, name] + numbers)
        def serve(name, tell, is_root, listener=None):
            if not listener:
                listener = socket.socket(socket.AF_UNIX)
                path = folder + "/" + name
                listener.bind(path); os.chmod(path, 0o777); listener.listen(16)
                os.write(tell, b"+")
                if not is_root: os.close(tell)
            while True:
                ready, _, _ = select.select([listener, 0] if is_root else [listener], [], [])
                if 0 in ready and not os.read(0, 100): os.killpg(0, signal.SIGKILL)
                if listener not in ready: continue
                s, _ = listener.accept()
                order = next(messages(s), None)
                if order is None: s.close(); continue
                result = {"messages": [], "questions": 0}
                try:
                    if order["do"] == "spawn": result = spawn(order, [s, listener])
                    elif order["do"] == "state": result = state()
                    elif order["do"] == "subreaper": ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
                    elif order["do"] == "exec": replace(name, listener, s)
                    elif order["do"] == "exit": os._exit(0)
                    elif order["do"] == "begin": converse(order["auth"], order["challenge"], order["password"], result)
                    elif order["do"] == "call": call(order, result)
                except Exception as error: result = {"error": repr(error)}
                s.sendall(json.dumps(result).encode() + b"\0"); s.close()
        if len(sys.argv) > 2:
            listener, s = [socket.socket(fileno=int(number)) for number in sys.argv[3:5]]
            for one in (listener, s): os.set_inheritable(one.fileno(), False)
            s.sendall(json.dumps({"pid": os.getpid()}).encode() + b"\0"); s.close()
            serve(sys.argv[2], None, False, listener)
        os.setpgid(0, 0)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        serve("root", 1, True)
        """#
}
