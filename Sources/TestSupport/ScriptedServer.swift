import Foundation
import Platform

/// A server on this machine that gives the answers of a test to all requests. It notes each request.
public final class ScriptedServer: Sendable {
    /// What it sends back.
    public struct Answer: Encodable, Sendable {
        public enum End: String, Encodable, Sendable {
            /// The next request may come.
            case open
            /// It closes the connection.
            case closed
            /// It sends the last byte again and again.
            case endless
            /// It sends nothing more, and does not close.
            case silent
        }

        var raw: Data
        var end: End

        /// Bytes as they are.
        public init(raw: [UInt8], _ end: End = .closed) { (self.raw, self.end) = (Data(raw), end) }

        /// A whole answer.
        public init(_ status: Int, _ headers: [(String, String)] = [], body: String = "", _ end: End = .open) {
            let bytes = Array(body.utf8)
            var lines = ["HTTP/1.1 \(status) X"] + headers.map { "\($0.0): \($0.1)" }
            if !headers.contains(where: { $0.0 == "Content-Length" }), status != 304, status != 204 {
                lines.append("Content-Length: \(bytes.count)")
            }
            self.init(raw: Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + bytes, end)
        }
    }

    /// What came.
    public struct Request: Decodable, Sendable {
        /// With its path and query.
        public let line: String
        /// Names in lower case.
        public let headers: [String: String]
        /// How often the name occurs that occurs most.
        public let most: Int
        public let body: Data

        public var text: String { String(decoding: body, as: UTF8.self) }
        /// “GET /path?query”.
        public var target: String { line.split(separator: " ").prefix(2).joined(separator: " ") }
    }

    private let folder: TemporaryFolder
    private let process: Subprocess
    public let port: UInt16

    /// - Parameters:
    ///   - answers: one after the other, over all connections. The last one stays.
    ///   - certified: whether it speaks TLS, with a certificate that it has made itself.
    public convenience init(_ answers: [Answer], certified: Bool = false) throws {
        try self.init(answers, passwords: nil, certified: certified)
    }

    /// A WebDAV server that keeps files in memory.
    /// - Parameters:
    ///   - passwords: of the user “me”. None: everybody may use it.
    ///   - files: what it has, by path.
    public convenience init(passwords: [String], files: [String: String] = [:]) throws {
        try self.init([], passwords: passwords, files: files, certified: false)
    }

    private init(
        _ answers: [Answer], passwords: [String]?, files: [String: String] = [:], certified: Bool
    ) throws {
        folder = try TemporaryFolder()
        try JSONEncoder().encode(answers).write(to: URL(filePath: folder.path + "/answers"))
        try JSONEncoder().encode(passwords).write(to: URL(filePath: folder.path + "/passwords"))
        try JSONEncoder().encode(files).write(to: URL(filePath: folder.path + "/files"))
        try Self.program.write(toFile: folder.path + "/server.py", atomically: false, encoding: .utf8)
        process = try Subprocess(
            "/usr/bin/env", ["python3", folder.path + "/server.py", folder.path, certified ? "tls" : ""]
        ) { [folder] in
            $0.input = .pipe
            $0.output = .pipe
            $0.errors = .file(folder.path + "/errors")
        }
        let line = String(decoding: try process.read(limit: 16, until: .now + patience) ?? [], as: UTF8.self)
        guard let port = UInt16(line.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw Tool.Failure(description: "the server does not start: \(Self.text(folder.path + "/errors"))")
        }
        self.port = port
    }

    /// From now on, the user “me” has these passwords.
    public func change(passwords: [String]) throws {
        try JSONEncoder().encode(passwords).write(to: URL(filePath: folder.path + "/passwords"), options: .atomic)
    }

    public var address: String { "http://127.0.0.1:\(port)" }

    /// All requests until now.
    public func requests() throws -> [Request] {
        try Self.text(folder.path + "/requests").split(separator: "\n").map {
            try JSONDecoder().decode(Request.self, from: Data($0.utf8))
        }
    }

    /// Ends it. Nothing listens at its port then.
    public func stop() throws { try process.end() }

    private static func text(_ path: String) -> String {
        // `try?`: there is none yet.
        (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    }

    /// It ends with its standard input, at the latest.
    private static let program = #"""
        import base64, datetime, ipaddress, json, os, socket, ssl, sys, threading, zlib

        folder = sys.argv[1]
        answers = json.load(open(folder + "/answers"))
        lock, count = threading.Lock(), 0

        def certificate():
            from cryptography import x509
            from cryptography.hazmat.primitives import hashes, serialization
            from cryptography.hazmat.primitives.asymmetric import ec
            key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
            now = datetime.datetime.utcnow()
            made = (x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(1)
                    .not_valid_before(now - datetime.timedelta(days=1)).not_valid_after(now + datetime.timedelta(days=30))
                    .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), False).sign(key, hashes.SHA256()))
            with open(folder + "/pem", "wb") as file:
                file.write(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
                file.write(made.public_bytes(serialization.Encoding.PEM))
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(folder + "/pem")
            return context

        files = {name: text.encode() for name, text in json.load(open(folder + "/files")).items()}

        def webdav(passwords, method, path, headers, body):
            allowed = ["Basic " + base64.b64encode(("me:" + one).encode()).decode() for one in passwords]
            if allowed and headers.get("authorization") not in allowed:
                return 401, b"", ""
            path = path.strip("/")
            below = {name[len(path):].strip("/").split("/")[0] for name in files if not path or name.startswith(path + "/")}
            if method == "PUT":
                files[path] = body
                return 201, b"", ""
            if method == "GET":
                if path not in files:
                    return 404, b"", ""
                tag = f'"{zlib.crc32(files[path])}"'
                return (304, b"", tag) if headers.get("if-none-match") == tag else (200, files[path], tag)
            if method == "DELETE":
                files.pop(path, None)
                return 204, b"", ""
            if method != "PROPFIND":
                return 201, b"", ""
            if path and not below:
                return 404, b"", ""
            text = "".join(f"<response><href>/{name}</href></response>" for name in sorted(below))
            return 207, f'<multistatus xmlns="DAV:">{text}</multistatus>'.encode(), ""

        def serve(connection):
            global count
            data = b""
            while True:
                while b"\r\n\r\n" not in data:
                    more = connection.recv(65536)
                    if not more:
                        return
                    data += more
                head, data = data.split(b"\r\n\r\n", 1)
                lines = head.decode("latin-1").split("\r\n")
                pairs = [line.split(":", 1) for line in lines[1:]]
                names = [name.lower() for name, _ in pairs]
                headers = {name.lower(): value.strip() for name, value in pairs}
                while len(data) < int(headers.get("content-length", 0)):
                    data += connection.recv(65536)
                length = int(headers.get("content-length", 0))
                body, data = data[:length], data[length:]
                with lock:
                    passwords = json.load(open(folder + "/passwords"))
                    if passwords is None:
                        answer = answers[min(count, len(answers) - 1)]
                    else:
                        status, content, tag = webdav(passwords, lines[0].split()[0], lines[0].split()[1], headers, body)
                        whole = f"HTTP/1.1 {status} X\r\nContent-Length: {len(content)}\r\nETag: {tag}\r\n\r\n".encode() + content
                        answer = dict(raw=base64.b64encode(whole), end="open")
                    count += 1
                    with open(folder + "/requests", "a") as file:
                        most = max([names.count(name) for name in names] or [0])
                        file.write(json.dumps(dict(line=lines[0], headers=headers, most=most, body=base64.b64encode(body).decode())) + "\n")
                raw = base64.b64decode(answer["raw"])
                connection.sendall(raw)
                if answer["end"] == "endless":
                    while True:
                        connection.sendall(raw[-1:] * 65536)
                if answer["end"] == "silent":
                    connection.recv(1)
                if answer["end"] != "open":
                    return

        def attend(connection, context):
            try:
                with (context.wrap_socket(connection, server_side=True) if context else connection) as one:
                    serve(one)
            except OSError:
                pass

        context = certificate() if sys.argv[2] else None
        server = socket.socket()
        server.bind(("127.0.0.1", 0))
        server.listen(16)
        print(server.getsockname()[1], flush=True)

        def accept():
            while True:
                threading.Thread(target=attend, args=(server.accept()[0], context), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        sys.stdin.read()
        os._exit(0)
        """#
}
