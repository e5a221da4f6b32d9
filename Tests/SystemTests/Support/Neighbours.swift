import Foundation

/// What a user does with their vault, again and again, and how long each step took.
struct HonestNeighbour: Sendable {
    /// Times of one kind of call, in seconds.
    struct Measured: Decodable, Sendable {
        var times: [String: [Double]]
        /// Call, error and message.
        var failures: [[String]]
        /// How often a call was repeated because its signature came too late. The error says to start again.
        var again: Int

        func milliseconds(_ call: String, _ part: Double) -> Double {
            let sorted = (times[call] ?? []).sorted()
            guard !sorted.isEmpty else { return 0 }
            return 1000 * sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]
        }

        func line(_ call: String) -> String {
            let numbers = [0.5, 0.99, 1].map { String(format: "%.1f", milliseconds(call, $0)) }
            return "p50 \(numbers[0]) ms, p99 \(numbers[1]) ms, max \(numbers[2]) ms (\(times[call]?.count ?? 0) times)"
        }
    }

    let uid: UInt32
    var rounds = 12

    func run(in sandbox: Sandbox) throws -> Measured {
        let outcome = try Neighbour.command(Self.program, ["s", "\(rounds)"], uid, sandbox).run()
        guard outcome.code == 0 else { throw Failure(outcome: outcome) }
        return try JSONDecoder().decode(Measured.self, from: Data(outcome.output))
    }

    struct Failure: Error { let outcome: Outcome }

    private static let program = #"""
        import json, os, socket, sys, time
        service, rounds = sys.argv[1], int(sys.argv[2])
        broker = os.environ["COFFER_SOCKET"]
        authenticator = os.environ.get("COFFER_AUTH_SOCKET") or os.path.join(os.path.dirname(broker), "auth.sock")
        class Line:
            def __init__(self, path):
                self.socket = socket.socket(socket.AF_UNIX); self.socket.connect(path); self.socket.settimeout(120); self.rest = b""
            def call(self, name, **parameters):
                self.socket.sendall(json.dumps({"method": "org.coffer." + name, "parameters": parameters}).encode() + b"\0")
                while b"\0" not in self.rest:
                    more = self.socket.recv(65536)
                    if not more: return {"error": "closed", "parameters": {}}
                    self.rest += more
                message, self.rest = self.rest.split(b"\0", 1)
                return json.loads(message)
        def keychain(name, **parameters): return Line(broker).call("Keychain." + name, **parameters)
        again = 0
        def asked(name, **parameters):
            global again
            for _ in range(10):
                answer = asked_once(name, **parameters)
                if "start again" not in answer["parameters"].get("message", ""): break
                again += 1
            return answer
        def asked_once(name, **parameters):
            answer = keychain(name, **parameters)
            challenge = answer["parameters"].get("challenge")
            if not challenge: return answer
            line = Line(authenticator)
            said = line.call("Authentication.Begin", challenge=challenge)
            while "error" not in said and said["parameters"].get("message"):
                style = said["parameters"]["message"]["style"]
                said = line.call("Authentication.Continue", answer="sandbox" if style in ("secret", "visible") else None)
            if "error" in said: return said
            return keychain(name, challenge=challenge, **parameters)
        access = {"accessibility": "when-unlocked", "thisDeviceOnly": False, "require": ["presence"], "any": False}
        names = {"service": service, "account": "plain"}
        gated = {"service": service, "account": "gated"}
        for answer in [asked("Unlock"), keychain("Set", value="cXVpZXQ=", **names), keychain("Set", value="Z2F0ZWQ=", access=access, **gated)]:
            if "error" in answer: sys.exit(json.dumps(answer))
        def locked_and_opened():
            answer = keychain("Lock")
            return answer if "error" in answer else asked("Unlock")
        times, failures = {}, []
        def measure(what, body, times_of_it=1):
            for _ in range(times_of_it):
                start = time.monotonic()
                try: answer = body()
                except Exception as problem: answer = {"error": repr(problem)}
                times.setdefault(what, []).append(time.monotonic() - start)
                if "error" in answer: failures.append([what, answer["error"], str(answer.get("parameters"))[:300]])
        for _ in range(rounds):
            measure("get", lambda: keychain("Get", **names), 4)
            measure("set", lambda: keychain("Set", value="cXVpZXQ=", **names))
            measure("gated read", lambda: asked("Get", **gated))
            measure("unlock", locked_and_opened)
        print(json.dumps({"times": times, "failures": failures, "again": again}))
        """#
}

/// A user who tries to take everything of the broker from the others: connections, requests, secret memory, scrypt,
/// conversations.
struct HostileNeighbour: Sendable {
    let uid: UInt32
    /// A file that it makes when it attacks with everything and removes when it has ended, and a file that ends it.
    let ready: String
    let stop: String

    /// Its results, by kind of attack: answers, refusals and the like.
    func run(in sandbox: Sandbox) throws -> [String: [String: Int]] {
        let outcome = try Neighbour.command(Self.program, [ready, stop], uid, sandbox).run()
        guard outcome.code == 0 else { throw HonestNeighbour.Failure(outcome: outcome) }
        return try JSONDecoder().decode([String: [String: Int]].self, from: Data(outcome.output))
    }

    private static let program = #"""
        import base64, json, os, random, socket, sys, threading, time
        broker = os.environ["COFFER_SOCKET"]
        authenticator = os.environ.get("COFFER_AUTH_SOCKET") or os.path.join(os.path.dirname(broker), "auth.sock")
        counts, lock = {}, threading.Lock()
        def count(what):
            with lock: counts[what] = counts.get(what, 0) + 1
        class Line:
            def __init__(self, path):
                self.socket = socket.socket(socket.AF_UNIX); self.socket.connect(path); self.socket.settimeout(60); self.rest = b""
            def send(self, name, more=False, **parameters):
                call = {"method": "org.coffer." + name, "parameters": parameters}
                if more: call["more"] = True
                self.socket.sendall(json.dumps(call).encode() + b"\0")
            def receive(self):
                while b"\0" not in self.rest:
                    more = self.socket.recv(65536)
                    if not more: raise ConnectionError("closed")
                    self.rest += more
                message, self.rest = self.rest.split(b"\0", 1)
                return json.loads(message)
            def call(self, name, **parameters):
                self.send(name, **parameters)
                answer = self.receive()
                error = answer.get("error", "")
                count("answers")
                if error.endswith("LimitExceeded"): count("refused")
                return answer
        def asked(name, **parameters):
            line = Line(broker)
            answer = line.call("Keychain." + name, **parameters)
            challenge = answer["parameters"].get("challenge")
            if not challenge: return answer
            said = Line(authenticator); reply = said.call("Authentication.Begin", challenge=challenge)
            while "error" not in reply and reply["parameters"].get("message"):
                style = reply["parameters"]["message"]["style"]
                reply = said.call("Authentication.Continue", answer="sandbox" if style in ("secret", "visible") else None)
            return line.call("Keychain." + name, challenge=challenge, **parameters)
        long = base64.b64encode(b"p" * 510).decode()
        presence = {"accessibility": "when-unlocked", "thisDeviceOnly": False, "require": ["presence"], "any": False}
        password = dict(presence, require=["app-password"])
        opened = asked("Unlock")
        if "error" in opened: sys.exit(json.dumps(opened))
        setup = Line(broker)
        for number in range(40):
            setup.call("Keychain.Set", service="h", account=str(number), value=long, attributes={"k%d" % n: "x" * 400 for n in range(20)})
            setup.call("Keychain.Set", service="g", account=str(number), value=long, access=presence)
        ids = [setup.call("Keychain.Set", service="p", account=str(n), value=long, access=password, applicationPassword=long)["parameters"]["item"]["id"] for n in range(4)]
        setup.socket.close()
        def many(_):
            # So many requests in flight on each connection that all of them together are a thousand.
            line = Line(broker)
            while True:
                for number in range(42):
                    line.send("Keychain.Get" if number % 3 else "Keychain.Set", service="h", account=str(number % 40), **({} if number % 3 else {"value": long}))
                for number in range(42): line.receive(); count("answers")
        def lists(_):
            line = Line(broker)
            while True: line.send("Keychain.Search", more=True, text="x"); [None for _ in iter(lambda: line.receive().get("continues"), None)]; count("answers")
        def rotations(number):
            line = Line(broker)
            while True:
                foreign = ["00000000-0000-0000-0000-%012d" % n for n in range(484)] if number % 2 else ids
                line.call("Keychain.RotateAll", applicationPasswords=[{"item": id, "password": long} for id in foreign])
        def passwords(number):
            line = Line(broker)
            while True:
                line.call("Keychain.Set", service="p", account="%d" % (10 + number), value=long, access=password, applicationPassword=long)
        def halves(_):
            while True:
                line = Line(broker); line.socket.sendall(b"{" + b" " * 1_900_000)
                try: line.receive(); count("refused")
                except Exception: count("closed")
                time.sleep(3)
        def reconnects(_):
            while True:
                line = Line(broker); line.socket.sendall(b'{"method":"org.coffer.Keychain.List","parameters":{}}\0'); line.socket.close(); count("reconnects")
                # Not faster: it is the broker's time for this user that is to be shared out among all of these.
                time.sleep(0.05)
        held = 0
        def hold(isHeld):
            # The first ones are waited for: what follows takes the connections that they need.
            global held
            with lock: held += isHeld
        def conversations(number):
            while True:
                line = Line(broker)
                challenge = line.call("Keychain.Get", service="g", account=str(number))["parameters"].get("challenge")
                line.socket.close()
                if not challenge: time.sleep(0.2); continue
                said = Line(authenticator)
                reply = said.call("Authentication.Begin", challenge=challenge)
                isHeld = "error" not in reply
                count("conversations" if isHeld else "conversations refused")
                hold(isHeld)
                try:
                    while True: reply = said.receive()
                except Exception: pass
                if isHeld: count("conversations that ended")
        def forever(body, number):
            while True:
                try: body(number)
                except Exception as problem: count("closed"); time.sleep(0.05)
        # What holds a connection leaves room among the 64 for those that come and go.
        bodies = [(conversations, 40), (many, 24), (lists, 4), (rotations, 6), (passwords, 6), (halves, 8), (reconnects, 4)]
        ready, stop = sys.argv[1], sys.argv[2]
        children, total = [], {}
        for body, number in bodies:
            # Threads of one process share one lock; so some processes for each way.
            for part in range(2):
                reading, writing = os.pipe(); pid = os.fork()
                if pid == 0:
                    counts.clear()
                    for n in range(part, number, 2): threading.Thread(target=forever, args=(body, n), daemon=True).start()
                    if body is conversations:
                        while held < 16 and os.getppid() != 1: time.sleep(0.1)
                        os.write(writing, b" ")
                    while not os.path.exists(stop) and os.getppid() != 1: time.sleep(0.1)
                    with lock: os.write(writing, json.dumps(counts).encode())
                    os._exit(0)
                os.close(writing); children.append((body.__name__, pid, reading))
            if body is conversations: [os.read(reading, 1) for _, _, reading in children]
        time.sleep(2); open(ready, "w").close()
        for name, pid, reading in children:
            os.waitpid(pid, 0)
            for what, times in json.loads(os.read(reading, 65536) or b"{}").items(): total.setdefault(name, {})[what] = total.get(name, {}).get(what, 0) + times
        print(json.dumps(total))
        """#
}

/// How either is started: as an ordinary user's program, in a session of its own, as after a login.
enum Neighbour {
    static func command(_ program: String, _ arguments: [String], _ uid: UInt32, _ sandbox: Sandbox) -> Command {
        Command(
            program: "/usr/bin/setsid",
            arguments: [
                "-w", "/usr/bin/setpriv", "--reuid=\(uid)", "--regid=\(uid)", "--clear-groups",
                "/usr/bin/python3", "-c", program,
            ] + arguments,
            environment: sandbox.variables, limit: .seconds(1200))
    }
}
