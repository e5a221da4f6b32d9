import Authorization
import BrokerProtocol
import Platform
import TestSupport
import Testing
import Varlink

@testable import Broker

/// Which vault a call means and by what right, for callers that a test could not start: the kernel's word about them is
/// made up here, and the accounts and groups are the machine's own.
struct VaultAccessTests {
    private let folder: TemporaryFolder
    private let access: VaultAccess
    private let registry: Registry

    init() throws {
        folder = try TemporaryFolder()
        registry = Registry(directory: folder.path, authenticatorUID: OwnProcess.effectiveUser)
        access = VaultAccess(registry: registry)
    }

    private func admit(
        _ uid: UInt32, _ method: any VarlinkMethod = Keychain.List(), group: String? = nil, user: String? = nil
    ) async throws -> Admission {
        let caller = Caller(uid: uid, process: ProcessIdentity(pid: 1, startTime: 1), connection: 1)
        return try await access.admit(caller, method, Keychain.VaultChoice(group: group, user: user))
    }

    private func refusal(
        _ uid: UInt32, _ method: any VarlinkMethod = Keychain.List(), group: String? = nil, user: String? = nil
    ) async throws -> Fault {
        try await fault { try await admit(uid, method, group: group, user: user) }
    }

    @Test("a call that names nothing means the caller's own vault, and one that names two things none")
    func own() async throws {
        let own = try await admit(1000)
        #expect(own.owner == .user(1000) && own.standing == .own && own.name == nil)
        for uid in [0, 1000] as [UInt32] {
            #expect(try await refusal(uid, group: "root", user: "root").name == .invalidArgument)
        }
    }

    @Test("a group's vault is its members', and a group that is missing or foreign is one and the same answer")
    func groups() async throws {
        let member = try await admit(0, group: "root")
        #expect(member.owner == .group(0) && member.standing == .member && member.name == "root")
        #expect(member.choice == Keychain.VaultChoice(group: "root"))
        for (uid, group) in [(0, "daemon"), (1, "root"), (0, "no-such-group"), (3_000_000_001, "root")] {
            #expect(try await refusal(UInt32(uid), group: group) == Faults.noGroupVault, "\(uid) \(group)")
        }
    }

    @Test("another account's vault is root's only if it is a service's")
    func accounts() async throws {
        #expect(try await refusal(1, user: "daemon").name == .notPermitted)
        #expect(try await refusal(1, user: "no-such-account").name == .notPermitted)
        #expect(try await refusal(0, user: "no-such-account").name == .notFound)
        let none = try await refusal(0, user: "daemon")
        #expect(none.name == .notFound && none.details.advice?.contains("coffer vault create --owner daemon") == true)
        for isService in [false, true] {
            let record = RegistryRecord(
                vault: try .random(), owner: .user(1), ownerName: "daemon", created: 1, sealer: .software,
                authenticatorKey: [UInt8](repeating: 3, count: 65), storageKey: nil,
                objects: Dictionary(
                    uniqueKeysWithValues: ObjectRole.ofNewVault.map { ($0, [UInt8](repeating: 2, count: 34)) }),
                isService: isService)
            if isService {
                let former = try #require(try registry.record(for: .user(1)))
                try registry.succeed(former, with: record)
                let service = try await admit(0, user: "daemon")
                #expect(service.owner == .user(1) && service.standing == .root && service.name == "daemon")
                #expect(service.choice == Keychain.VaultChoice(user: "daemon"))
            } else {
                try registry.write(record)
                let refused = try await refusal(0, user: "daemon")
                #expect(refused.name == .notPermitted && refused.details.message?.contains("person") == true)
            }
        }
    }

    @Test("root makes a vault for any account but its own, and nobody else makes one for another")
    func creation() async throws {
        func create(_ name: String) -> Keychain.CreateVault { Keychain.CreateVault(owner: name) }
        for name in ["daemon", "root", "no-such-account"] {
            #expect(try await refusal(1, create(name)).name == .notPermitted, "\(name)")
        }
        #expect(try await refusal(0, create("root")).name == .invalidArgument)
        #expect(try await refusal(0, create("no-such-account")).name == .notFound)
        let made = try await admit(0, create("daemon"))
        #expect(made.owner == .user(1) && made.standing == .root && made.name == "daemon")
    }

    @Test("root alone accepts a vault's file and sets a vault aside, of any account or group that there is")
    func anyVault() async throws {
        for method in [Keychain.AcceptVault(), Keychain.SetAsideVault()] as [any VarlinkMethod] {
            #expect(try await refusal(1, method).name == .notPermitted)
            #expect(try await refusal(1, method, user: "daemon").name == .notPermitted)
            let own = try await admit(0, method)
            #expect(own.owner == .user(0) && own.standing == .own)
            let group = try await admit(0, method, group: "daemon")
            #expect(group.owner == .group(1) && group.standing == .root && group.name == "daemon")
            let user = try await admit(0, method, user: "daemon")
            #expect(user.owner == .user(1) && user.standing == .root && user.name == "daemon")
            #expect(try await refusal(0, method, group: "no-such-group").name == .notFound)
            #expect(try await refusal(0, method, user: "no-such-account").name == .notFound)
            #expect(try await refusal(0, method, group: "root", user: "root").name == .invalidArgument)
        }
    }

    @Test("the vault of an account or group that is gone is set aside by its number, and nothing else is")
    func numbers() async throws {
        let gone = "4000000001"
        let user = try await admit(0, Keychain.SetAsideVault(), user: gone)
        #expect(user.owner == .user(4_000_000_001) && user.standing == .root && user.name == gone)
        let group = try await admit(0, Keychain.SetAsideVault(), group: gone)
        #expect(group.owner == .group(4_000_000_001) && group.standing == .root)
        for text in ["", "+1", "-1", "1x", "4294967296"] {
            #expect(try await refusal(0, Keychain.SetAsideVault(), user: text).name == .notFound, "\(text)")
        }
        #expect(try await refusal(0, Keychain.AcceptVault(), user: gone).name == .notFound)
        #expect(try await refusal(0, user: gone).name == .notFound)
        #expect(try await refusal(1, Keychain.SetAsideVault(), user: gone).name == .notPermitted)
    }

    @Test("a use of a vault restarts the idle time of its own user, or of the member who uses a group's")
    func idle() {
        let caller = Caller(uid: 5, process: ProcessIdentity(pid: 1, startTime: 1), connection: 1)
        #expect(Admission(owner: .user(7), standing: .root, name: "n").idleUser(caller) == 7)
        #expect(Admission(owner: .group(7), standing: .member, name: "n").idleUser(caller) == 5)
        #expect(Admission(owner: .user(5), standing: .own, name: nil).choice == Keychain.VaultChoice())
    }

    /// The names of challenges: what RFC 4648 has as examples, and each byte.
    @Test func namesOfChallengesAreBase64WithoutSignsThatMeanSomethingElsewhere() {
        let examples = [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
        ]
        for (text, encoded) in examples { #expect(Base64URL.encode(Array(text.utf8)) == encoded) }
        #expect(Base64URL.encode([0xFB, 0xEF, 0xFF]) == "--__")
        #expect(Base64URL.encode([UInt8](repeating: 0, count: 32)) == String(repeating: "A", count: 43))
    }
}
