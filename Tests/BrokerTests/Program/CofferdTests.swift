import Authorization
import BrokerProtocol
import Foundation
import Platform
import TestSupport
import Testing
import Varlink

/// What the program does before it is a broker, and the state of its process, seen from outside as an attacker would
/// see it.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct CofferdTests {
    /// Becomes root without any of root's powers, so that the kernel's rules for processes of one user hold.
    private static let powerless = "setpriv --bounding-set=-all --inh-caps=-all"

    private func status(_ process: ProcessIdentity, _ name: String) throws -> String {
        let text = try String(contentsOfFile: "/proc/\(process.pid)/status", encoding: .utf8)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(name + ":") })
        return line.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces)
    }

    @Test("keys lie in memory that is never swapped out")
    func secureHeap() throws {
        let cofferd = try Cofferd()
        // In KiB. Nothing else in the program locks memory.
        let locked = try #require(Int(status(cofferd.process, "VmLck").split(separator: " ")[0]))
        #expect(locked >= 256)
        #expect(try !cofferd.log.contains("not kept out of swap"))
        try cofferd.end()
    }

    @Test("no core file, and no other process of the same user reads its memory", .enabled(if: getuid() == 0))
    func memoryIsItsOwn() throws {
        let start = #"exec \#(Self.powerless) "$0" --config "$1""#
        let cofferd = try Cofferd(limits: start)
        let limits = try String(contentsOfFile: "/proc/\(cofferd.process.pid)/limits", encoding: .utf8)
        let core = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") })
        #expect(core.split(separator: " ").filter { $0 == "0" }.count == 2, "\(core)")
        let words = Self.powerless.split(separator: " ").dropFirst().map(String.init)
        func reads(_ pid: String) throws -> Bool {
            try Tool.run("setpriv", words + ["cat", "/proc/\(pid)/environ"]).status == 0
        }
        // A caller may examine processes like their own, but not this one.
        #expect(try reads("self"))
        #expect(try !reads("\(cofferd.process.pid)"))
        try cofferd.end()
    }

    @Test("no runtime takes its crash to show a stack")
    func crashesAreTheKernels() throws {
        let cofferd = try Cofferd(limits: "export SWIFT_BACKTRACE=enable=yes")
        let caught = try #require(UInt64(status(cofferd.process, "SigCgt"), radix: 16))
        let crashes: [Int32] = [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV]
        #expect(crashes.filter { caught & (1 << UInt64($0 - 1)) != 0 } == [])
        try cofferd.end()
    }

    @Test("files that it makes are nobody else's to read, whatever umask it was started with")
    func filesAreItsOwn() async throws {
        let cofferd = try Cofferd(limits: "umask 0")
        try await vault(in: cofferd)
        let folder = cofferd.folder.path + "/vaults"
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            #expect(try #require(try FileStatus.of("\(folder)/\(name)")).mode & 0o077 == 0, "\(name)")
        }
        // Modes that libraries set themselves do not differ (proc(5)).
        #expect(try status(cofferd.process, "Umask") == "0077")
        try cofferd.end()
    }

    @Test("the first argument alone makes the program a helper, and a helper never a broker")
    func helper() throws {
        let cofferd = try Cofferd()
        try cofferd.end()
        try FileManager.default.removeItem(atPath: cofferd.socket)
        let configuration = ["--config", cofferd.folder.path + "/cofferd.conf"]
        for arguments in [["helper"] + configuration, configuration + ["helper"]] {
            let result = try Tool.run(Cofferd.program, arguments)
            #expect(result.status == 64, "\(arguments): \(result)")
        }
        #expect(try FileStatus.of(cofferd.socket) == nil)
        let measured = try Tool.run(Cofferd.program, ["helper", "measure", "--", configuration[1]])
        #expect(measured.status == 0 && measured.output.contains("content"), "\(measured)")
    }

    /// Starts the program with the configuration of an earlier one.
    private func refusal(_ folder: TemporaryFolder) throws -> String {
        let result = try Tool.run(Cofferd.program, ["--config", folder.path + "/cofferd.conf"])
        #expect(result.status != 0)
        return result.errors
    }

    @Test("a configuration that others can write, or that is no file, is not obeyed")
    func configuration() throws {
        let cofferd = try Cofferd()
        try cofferd.end()
        let path = cofferd.folder.path + "/cofferd.conf"
        for mode in [0o602, 0o620, 0o666] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            #expect(try refusal(cofferd.folder).contains("nobody but its owner may change it"))
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        try FileManager.default.moveItem(atPath: path, toPath: path + ".real")
        #expect(try refusal(cofferd.folder).contains("must be there"))
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path + ".real")
        #expect(try refusal(cofferd.folder).contains("must be there"))
    }

    @Test("another user's configuration is not obeyed, and no sandbox needs root's", .enabled(if: getuid() == 0))
    func configurationOfOthers() throws {
        let cofferd = try Cofferd()
        try cofferd.end()
        let path = cofferd.folder.path + "/cofferd.conf"
        try FileManager.default.setAttributes([.ownerAccountID: 2], ofItemAtPath: path)
        #expect(try refusal(cofferd.folder).contains("must belong to root"))
        try FileManager.default.setAttributes([.ownerAccountID: 0], ofItemAtPath: path)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        try DurableFile.write(
            Array(text.replacing("sandbox = yes", with: "sandbox = no").utf8), to: path, mode: 0o600)
        #expect(try refusal(cofferd.folder).contains("must not run as root"))
    }

    @Test("of the service manager it takes one socket, and no more")
    func activation() throws {
        let sockets = "export LISTEN_PID=$$ LISTEN_FDS=2 && exec 3</dev/null 4</dev/null"
        let failure = #expect(throws: Cofferd.Failure.self) { _ = try Cofferd(limits: sockets) }
        #expect(failure?.log.contains("must pass one socket") == true)
    }

    private func vault(in cofferd: Cofferd) async throws {
        let client = try WireClient(cofferd.socket)
        let authenticator = try TestAuthenticator(
            socket: cofferd.folder.path + "/private.sock",
            registry: Registry(
                directory: cofferd.folder.path + "/registry", authenticatorUID: OwnProcess.effectiveUser))
        try await authenticator.grant(challenge { try await client.call(Keychain.Unlock()) })
        _ = try await client.call(Keychain.Set(service: "s", account: "a", value: someValue))
        #expect(try await client.call(Keychain.Get(service: "s", account: "a")).value == someValue)
        await client.close()
    }

    @Test("what is acknowledged is on the disk: files, their names, and each change")
    func powerCut() async throws {
        let folder = try TemporaryFolder()
        let trace = folder.path + "/trace"
        // As a grandchild, because the started process is the program itself. The result is descriptors with their
        // paths.
        let cofferd = try Cofferd(
            folder: folder,
            limits: #"exec strace -D -f -y -qq -o \#(trace) -e trace=fsync,fdatasync,rename "$0" --config "$1""#)
        func calls() throws -> [Substring] { try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n") }
        try await vault(in: cofferd)
        let stem = Owner.user(OwnProcess.effectiveUser).fileStem
        let vaults = folder.path + "/vaults"
        func place(_ words: String..., from start: Int) throws -> Int? {
            try calls().dropFirst(start).firstIndex { line in words.allSatisfy { line.contains($0) } }
        }
        // A small file: its content, its name, then the folder that holds the name.
        let content = try #require(try place("fsync(", "<\(vaults)/\(stem).log.writing>", from: 0))
        let name = try #require(try place("rename(", "\(stem).log.writing\"", from: content))
        _ = try #require(try place("fsync(", "<\(vaults)>", from: name))
        // A new vault's name.
        let vault = try #require(try place("rename(", "\(stem).vault.new\"", "\(stem).vault\"", from: 0))
        _ = try #require(try place("fsync(", "<\(vaults)>", from: vault))
        // A change: the log that it is written to first, and the vault itself.
        let client = try WireClient(cofferd.socket)
        let before = try calls().count
        _ = try await client.call(Keychain.Set(service: "s", account: "b", value: someValue))
        let synced = try calls().dropFirst(before).filter { $0.contains("sync(") }
        #expect(synced.contains { $0.contains("\(stem).vault-wal>") }, "\(synced)")
        #expect(synced.contains { $0.contains("\(stem).vault>") }, "\(synced)")
        try cofferd.end()
    }

    @Test("bytes of unfinished messages count together, however many connections they come in on")
    func halfMessages() async throws {
        let cofferd = try Cofferd()
        var clients: [WireClient] = []
        let half =
            Array(#"{"method":"org.coffer.Keychain.Set","parameters":{"value":""#.utf8)
            + [UInt8](repeating: 65, count: (2 << 20) - 100)
        // More than a process may hold for one user, and fewer connections than one user may have.
        for _ in 0..<16 {
            let client = try WireClient(cofferd.socket)
            clients.append(client)
            // A connection that is closed may notice it when it writes.
            try? await client.send(half)
        }
        var refused = 0
        for client in clients {
            await client.halfClose()
            // `try?`: an end without an answer is their own.
            guard let bytes = try? await client.message() else { continue }
            let fault = try Varlink.decode(Fault.self, from: bytes)
            guard fault.name == .limitExceeded else { continue }
            // A slow machine may meet the time limit of a message first, whose answer has no advice.
            let isBudget = fault.details.message == "too many unfinished messages of this user at once"
            #expect(!isBudget || fault.details.advice == "try again later")
            refused += 1
        }
        #expect(refused > 0 && refused < clients.count)
        // Nobody else notices, and the user can go on.
        #expect(try await WireClient(cofferd.socket).call(Keychain.Status()).vault.state == .none)
        try cofferd.end()
    }

    @Test("a reason has an end")
    func reason() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await broker.makeVault(client)
        _ = try await client.call(Keychain.Set(service: "s", account: "a", value: someValue, access: .presence))
        func get(_ count: Int) -> Keychain.Get {
            Keychain.Get(service: "s", account: "a", reason: String(repeating: "r", count: count))
        }
        _ = try await challenge { try await client.call(get(200)) }
        #expect(try await fault { try await client.call(get(10_000)) }.name == .invalidArgument)
        await broker.stop()
    }
}
