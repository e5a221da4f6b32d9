import BrokerProtocol
import Foundation
import Platform
import TestSupport
import Testing

@testable import Coffer
@testable import CofferClient

/// Where programs look for sockets and displays, by their environment.
@Suite("Sockets and displays are found by their names")
struct PlaceNameTests {
    @Test("the variables name the sockets, and an empty one names nothing")
    func sockets() {
        func paths(_ environment: [String: String]) -> [String] {
            let paths = SocketPaths(environment: environment)
            return [paths.broker, paths.authenticator]
        }
        let installed = ["/run/coffer/coffer.sock", "/run/coffer-auth/auth.sock"]
        #expect(paths([:]) == installed)
        #expect(paths(["COFFER_SOCKET": "", "COFFER_AUTH_SOCKET": ""]) == installed)
        #expect(paths(["COFFER_SOCKET": "/a/b.sock"]) == ["/a/b.sock", "/a/auth.sock"])
        #expect(paths(["COFFER_SOCKET": "b.sock"]) == ["b.sock", "auth.sock"])
        #expect(paths(["COFFER_SOCKET": "/a/b.sock", "COFFER_AUTH_SOCKET": "/c"]) == ["/a/b.sock", "/c"])
        #expect(paths(["COFFER_AUTH_SOCKET": "/c"]) == [installed[0], "/c"])
    }

    @Test("agents listen in the user's own folder, or beside a sandbox")
    func agents() throws {
        let folder = try TemporaryFolder()
        let user = geteuid()
        func sockets(_ environment: [String: String], of other: UInt32? = nil) -> AgentSockets? {
            AgentSockets(environment: environment, user: other ?? user)
        }
        let own = try #require(sockets(["XDG_RUNTIME_DIR": folder.path]))
        #expect(own.folder == folder.path + "/coffer" && own.mayStart)
        #expect(own.session == folder.path + "/coffer/agent.sock")
        #expect(own.terminal == folder.path + "/coffer/agent-terminal.sock")
        // A folder of somebody else, one that others change, and none.
        #expect(sockets(["XDG_RUNTIME_DIR": folder.path], of: user + 1) == nil)
        #expect(sockets(["XDG_RUNTIME_DIR": folder.path + "/none"]) == nil)
        #expect(sockets(["XDG_RUNTIME_DIR": "run"]) == nil)
        for mode in [0o720, 0o702] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.path)
            #expect(sockets(["XDG_RUNTIME_DIR": folder.path]) == nil)
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
        #expect(sockets(["XDG_RUNTIME_DIR": folder.path]) == own)
        try Data().write(to: URL(fileURLWithPath: folder.path + "/file"))
        #expect(sockets(["XDG_RUNTIME_DIR": folder.path + "/file"]) == nil)
        // A sandbox has its agent beside it. Without a session, programs start none.
        let beside = try #require(sockets(["COFFER_SOCKET": "/x/y.sock"]))
        #expect(beside.folder == "/x" && !beside.mayStart)
        #expect(sockets(["COFFER_SOCKET": "/x/y.sock", "XDG_RUNTIME_DIR": "/r"])?.mayStart == true)
        #expect(sockets(["COFFER_SOCKET": "/x/y.sock", "XDG_RUNTIME_DIR": ""])?.mayStart == false)
        #expect(sockets(["COFFER_SOCKET": "y.sock"]) == nil)
    }

    @Test("a display's name from another process is short and plain")
    func names() {
        func isTaken(_ display: Agent.Display) -> Bool { Display(display, environment: [:]) != nil }
        let longest = String(repeating: "d", count: 4096)
        for name in [longest, ":0", "!", "~", "\u{E9}"] {
            #expect(isTaken(.init(x11: name)) && isTaken(.init(xauthority: name)) && isTaken(.init(wayland: name)))
        }
        for name in [longest + "d", "", "a b", "a\u{1F}", "a\u{7F}", "a\n"] {
            #expect(!isTaken(.init(x11: name)) && !isTaken(.init(xauthority: name)) && !isTaken(.init(wayland: name)))
        }
        #expect(isTaken(.init()) && Display(.init(), environment: ["DISPLAY": ":0"])?.isNamed == false)
    }

    @Test("a display of another machine is taken for one that answers, if its name is one")
    func otherMachines() {
        func answers(_ name: String) -> Bool { Display(environment: ["DISPLAY": name]).answering() != nil }
        for name in ["host:0", "host:1.5", "host:59535", "a:b:0"] { #expect(answers(name), "\(name)") }
        for name in ["host", "host:", "host:x", "host:-1", "host:59536", "host:.0", ""] {
            #expect(!answers(name), "\(name)")
        }
    }

    @Test("a display of this machine answers if somebody listens there")
    func thisMachine() throws {
        let listener = try Subprocess(
            "/usr/bin/perl",
            [
                "-MIO::Socket::INET", "-e",
                "$| = 1; my $l = IO::Socket::INET->new(Listen => 64, LocalAddr => '127.0.0.1') or die;"
                    + " print $l->sockport, qq(\\n); my $end = <STDIN>;",
            ]
        ) {
            $0.input = .pipe
            $0.output = .pipe
        }
        defer { listener.closeInput() }
        let said = String(decoding: try listener.read(limit: 16), as: UTF8.self)
        let port = try #require(Int(said.dropLast()))
        let number = port - 6000
        func answering(_ environment: [String: String]) -> Display? { Display(environment: environment).answering() }
        for host in ["localhost", "127.0.0.1", "localhost/unix"] {
            #expect(answering(["DISPLAY": "\(host):\(number).0"])?.hasX11 == true)
        }
        // A display by its socket, as Wayland has it: absolute, or in the runtime folder.
        let folder = try TemporaryFolder()
        let wayland = try UnixListener(path: folder.path + "/wayland-5", mode: 0o600)
        let both = answering(["WAYLAND_DISPLAY": folder.path + "/wayland-5", "DISPLAY": "localhost:\(number)"])
        #expect(both?.isNamed == true && both?.hasX11 == true)
        let relative = ["WAYLAND_DISPLAY": "wayland-5", "XDG_RUNTIME_DIR": folder.path]
        #expect(answering(relative)?.names == "wayland-5")
        #expect(answering(["WAYLAND_DISPLAY": "wayland-5"]) == nil)
        #expect(answering(["WAYLAND_DISPLAY": folder.path + "/wayland-6"]) == nil)
        // Of two, the one that is gone is left out, also for the program that shows the dialog.
        let one = answering(["WAYLAND_DISPLAY": folder.path + "/wayland-6", "DISPLAY": "localhost:\(number)"])
        #expect(one?.names == "localhost:\(number)")
        let environment = one?.environment(["WAYLAND_DISPLAY": "old", "PATH": "/p"])
        #expect(environment == ["DISPLAY": "localhost:\(number)", "PATH": "/p"])
        #expect(wayland.number >= 0)
    }
}

/// What a backend has that does nothing by itself.
@Suite("What every backend can do")
struct BackendDefaultTests {
    private let backend = ScriptedBackend()
    private var keychain: Coffer.Keychain { Coffer.Keychain(service: "s", backend: backend) }

    @Test("the items of a service are deleted as many at once as one request takes")
    func deleteItems() async throws {
        for number in 0..<129 { try await keychain.set("x", for: "\(number)") }
        try await keychain.of(service: "t").set("x", for: "me")
        backend.edit { $0.applied = [] }
        #expect(try await backend.deleteItems(of: "s", itemClass: nil, in: .own) == 129)
        #expect(backend.edit { $0.applied.map(\.count) } == [128, 1])
        #expect(backend.edit { $0.items.count } == 1)
        #expect(try await backend.deleteItems(of: "s", itemClass: nil, in: .own) == 0)
    }

    @Test("if nothing was deleted, the error is the backend's own")
    func deletionFails() async throws {
        try await keychain.set("x", for: "me")
        backend.edit { $0.failingChange = 0 }
        do throws(KeychainError) {
            _ = try await backend.deleteItems(of: "s", itemClass: nil, in: .own)
            Issue.record("the error was lost")
        } catch { #expect(error.message == "this change fails") }
    }
}
