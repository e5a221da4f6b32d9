import Foundation

/// A program that asks for many items at once, with one thread and connection for each, and takes every answer. It
/// prints what it saw, as JSON.
struct Storm: Sendable {
    /// Service and account of each item, and a time in seconds before which it is not asked for.
    struct Wish: Encodable, Sendable {
        var service: String
        var account: String
        /// Asked for only when another of the program's requests shows a question.
        var isLate = false
        /// Closes (`gone`) or cancels (`cancel`) instead of answering a question.
        var end: String?
    }

    struct Answer: Decodable, Sendable {
        /// The messages before and between the questions.
        var messages: [String]
        var questions: Int
        var value: String?
        /// The error's name.
        var error: String?
    }

    let wishes: [Wish]
    var password = "sandbox"
    var uid: UInt32?
    /// Seconds for which a question stays open before it is answered.
    var thinking = 0.0
    /// How many of the program's other requests were told to wait before the first question is answered.
    var waiting = 0
    /// A file that must exist before a question is answered.
    var signal = ""

    /// - Throws: if the program did not end by itself.
    func run(in sandbox: Sandbox) throws -> [Answer] {
        let words = [
            String(decoding: try JSONEncoder().encode(wishes), as: UTF8.self), password, "\(thinking)", signal,
            "\(waiting)",
        ]
        let interpreter = ["/usr/bin/python3", "-c", Self.program] + words
        var command = Command(
            program: interpreter[0], arguments: Array(interpreter.dropFirst()), environment: sandbox.variables,
            limit: .seconds(1800))
        if let uid {
            command.program = "/usr/bin/setpriv"
            command.arguments = ["--reuid=\(uid)", "--regid=\(uid)", "--clear-groups"] + interpreter
        }
        let outcome = try command.run()
        guard outcome.code == 0 else { throw Failure(outcome: outcome) }
        return try JSONDecoder().decode([Answer].self, from: Data(outcome.output))
    }

    struct Failure: Error { let outcome: Outcome }

    // All challenges exist before the first conversation begins, except those of late requests.
    private static let program = #"""
        import base64, json, os, socket, sys, threading, time
        wishes, password, thinking = json.loads(sys.argv[1]), sys.argv[2], float(sys.argv[3])
        broker = os.environ["COFFER_SOCKET"]
        authenticator = os.environ.get("COFFER_AUTH_SOCKET") or os.path.join(os.path.dirname(broker), "auth.sock")
        class Line:
            def __init__(self, path):
                self.socket = socket.socket(socket.AF_UNIX); self.socket.settimeout(600); self.socket.connect(path); self.rest = b""
            def call(self, name, **parameters):
                self.socket.sendall(json.dumps({"method": "org.coffer." + name, "parameters": parameters}).encode() + b"\0")
                while b"\0" not in self.rest:
                    more = self.socket.recv(65536)
                    if not more: return {"error": "closed", "parameters": {}}
                    self.rest += more
                message, self.rest = self.rest.split(b"\0", 1)
                return json.loads(message)
        early = threading.Barrier(sum(not w["isLate"] for w in wishes)); asked = threading.Event()
        told = threading.Semaphore(0); waiting = int(sys.argv[5]); first = threading.Lock(); answered = []
        def want(wish, result):
            try:
                if wish["isLate"]: asked.wait(150)
                names = {"service": wish["service"], "account": wish["account"]}
                answer = Line(broker).call("Keychain.Get", **names)
                challenge = answer["parameters"].get("challenge")
                if not wish["isLate"]: early.wait(150)
                if challenge:
                    line = Line(authenticator)
                    answer = line.call("Authentication.Begin", challenge=challenge)
                    while "error" not in answer and answer["parameters"].get("message"):
                        message = answer["parameters"]["message"]
                        result["messages"].append(message["text"])
                        if message["text"].startswith("Waiting"): told.release()
                        if message["style"] == "secret":
                            result["questions"] += 1; asked.set()
                            time.sleep(thinking)
                            with first: isFirst = not answered; answered.append(1)
                            if isFirst:
                                for _ in range(waiting): told.acquire(timeout=150)
                            while sys.argv[4] and not os.path.exists(sys.argv[4]): time.sleep(0.05)
                            if wish.get("end") == "gone": line.socket.close(); result["error"] = "gone"; return
                            if wish.get("end") == "cancel": line.call("Authentication.Cancel"); result["error"] = "cancel"; return
                            answer = line.call("Authentication.Continue", answer=password)
                        else: answer = line.call("Authentication.Continue")
                    if "error" not in answer: answer = Line(broker).call("Keychain.Get", challenge=challenge, **names)
                if "error" in answer: result["error"] = answer["error"]
                else: result["value"] = base64.b64decode(answer["parameters"]["value"]).decode()
            except Exception as error: result["error"] = repr(error)
        results = [{"messages": [], "questions": 0} for _ in wishes]
        threads = [threading.Thread(target=want, args=pair) for pair in zip(wishes, results)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        print(json.dumps(results))
        """#
}
