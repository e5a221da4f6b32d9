import Foundation
import Glibc
import Platform

/// Programs of one user. Each was asked for the password, and answers when it is told to. They end with the value.
final class Guessers {
    private let path: String
    private let process: Subprocess

    /// - Parameter fixture: it must live as long as this.
    init(_ fixture: Fixture, _ count: Int) throws {
        path = "\(fixture.path)/guessers"
        try Folder.make(path, mode: 0o700)
        process = try Subprocess(
            "/usr/bin/python3", ["-c", Self.program, "\(fixture.path)/auth.sock", path, "\(count)"])
        let path = path
        guard eventually({ (0..<count).allSatisfy { Self.heard(in: path, $0).contains("asked") } }) else {
            throw SystemError("start guessing", reason: "not everybody was asked")
        }
    }

    deinit {
        // All of its process group.
        kill(-process.pid, SIGKILL)
        // As above: it was killed.
        _ = try? process.wait(until: .now + .seconds(60))
    }

    func answer(_ number: Int, _ text: String = "wrong") throws {
        try DurableFile.write(Array(text.utf8), to: "\(path)/\(number).answer", mode: 0o600)
    }

    /// What one of them was told: `asked`, messages, finally `error NAME` or `done`.
    func heard(_ number: Int) -> [String] { Self.heard(in: path, number) }

    private static func heard(in path: String, _ number: Int) -> [String] {
        // Without a file there is nothing yet.
        let text = (try? String(contentsOfFile: "\(path)/\(number).heard", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    private static let program = #"""
        import json, os, socket, sys, time, uuid
        path, folder, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
        def guess(number):
            log = open(f"{folder}/{number}.heard", "a", buffering=1)
            s = socket.socket(socket.AF_UNIX); s.settimeout(600); s.connect(path)
            def call(name, **parameters):
                s.sendall(json.dumps({"method": "org.coffer.Authentication." + name, "parameters": parameters}).encode() + b"\0")
                message = b""
                while not message.endswith(b"\0"):
                    more = s.recv(65536)
                    if not more: return {"error": "closed"}
                    message += more
                return json.loads(message[:-1])
            answer = call("Begin", challenge=str(uuid.uuid4()))
            while "error" not in answer and answer["parameters"].get("message"):
                message = answer["parameters"]["message"]
                if message["style"] == "secret":
                    log.write("asked\n")
                    while not os.path.exists(f"{folder}/{number}.answer"): time.sleep(0.02)
                    answer = call("Continue", answer=open(f"{folder}/{number}.answer").read())
                else:
                    log.write(message["text"].replace("\n", " ") + "\n")
                    answer = call("Continue")
            log.write("error " + answer["error"] + "\n" if "error" in answer else "done\n")
        for number in range(count):
            if os.fork() == 0:
                guess(number); os._exit(0)
        for number in range(count): os.wait()
        """#
}
