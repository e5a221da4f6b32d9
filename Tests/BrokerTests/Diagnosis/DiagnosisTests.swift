import Authorization
import BrokerProtocol
import Cryptography
import Foundation
import Platform
import RootConfiguration
import TPM
import TestSupport
import Testing
import Varlink
import Vault

@testable import Broker

/// What the broker reports about itself, its machine and the caller's vault.
@Suite(.timeLimit(.minutes(30)))
struct DiagnosisTests {
    private let owner = Owner.user(OwnProcess.effectiveUser)

    /// A broker with nothing to repair, with a TPM or without.
    private func healthy(_ tpm: SWTPM? = nil, roots: String? = nil, deadline: Duration? = nil) async throws
        -> ThrowAwayBroker
    {
        let broker = try await ThrowAwayBroker(configure: { configuration in
            let folder = String(configuration.socket.dropLast("/coffer.sock".count))
            configuration.pamDirectory = folder + "/pam.d"
            configuration.authSocket = folder + "/auth.sock"
            configuration.tpmRoots = roots ?? folder + "/roots"
            guard let tpm else { return }
            configuration.sealer = .tpm
            configuration.tcti = "\(tpm.configuration)"
        }) { configuration in
            guard let tpm else { return SoftwareSealer(directory: configuration.vaultDirectory) }
            return TPMSealer(TPMAccess.patient(tpm.configuration, deadline: deadline))
        }
        for service in PAMCheck.services {
            let module = service == "coffer-biometric" ? "pam_fprintd.so" : "pam_unix.so"
            try write("auth required \(module)\naccount required pam_unix.so\n", broker, "pam.d/\(service)")
        }
        try write("-", broker, "registry/signing-key.pem", mode: 0o600)
        try await broker.makeVault(broker.client())
        try tell(broker.authenticator.key.publicKey, broker)
        return broker
    }

    /// What the authenticator says its present signing key is.
    private func tell(_ key: [UInt8], _ broker: ThrowAwayBroker) throws {
        try write(Hex.encode(key) + "\n", broker, "registry/signing-key.pub")
    }

    @Test("the vault's signing key is compared with the present one, and a missing file is named to be restored")
    func signingKey() async throws {
        let broker = try await healthy()
        func finding() async throws -> Keychain.Finding? {
            try await look(broker).first { $0.check == Keychain.Check.signingKey.rawValue }
        }
        #expect(try await finding()?.verdict == .ok)
        try tell(try P256.PrivateKey.generate().publicKey, broker)
        let other = try #require(try await finding())
        #expect(other.verdict == .problem && other.advice?.contains("signing-key.pem") == true, "\(other)")
        try write("nonsense", broker, "registry/signing-key.pub")
        let unknown = try #require(try await finding())
        #expect(unknown.verdict == .problem && unknown.advice?.contains("rotate") == false, "\(unknown)")
        try FileManager.default.removeItem(atPath: broker.folder.path + "/registry/signing-key.pub")
        #expect(try await finding()?.verdict == .note)
        // Without the file nothing is called in order, and nothing says to install anything.
        try tell(broker.authenticator.key.publicKey, broker)
        try FileManager.default.removeItem(atPath: broker.folder.path + "/registry/signing-key.pem")
        #expect(try await finding() == nil)
        let missing = try #require(try await problems(broker).first)
        #expect(missing.message.contains("signing-key.pem is missing"), "\(missing)")
        #expect(missing.advice?.hasSuffix("restore it from a backup") == true, "\(missing)")
        await broker.stop()
    }

    private func write(_ text: String, _ broker: ThrowAwayBroker, _ name: String, mode: mode_t = 0o644) throws {
        let path = "\(broker.folder.path)/\(name)"
        try Folder.make(String(path[..<(try #require(path.lastIndex(of: "/")))]), mode: 0o755)
        try DurableFile.write(Array(text.utf8), to: path, mode: mode)
    }

    private func look(_ broker: ThrowAwayBroker) async throws -> [Keychain.Finding] {
        try await broker.client().call(Keychain.Diagnose()).findings
    }

    private func problems(_ broker: ThrowAwayBroker) async throws -> [Keychain.Finding] {
        try await look(broker).filter { $0.verdict == .problem }
    }

    @Test("every check has a finding, in one order, and a healthy broker has no problem")
    func all() async throws {
        let tpm = try SWTPM()
        let broker = try await healthy(tpm)
        let client = try broker.client()
        _ = try await client.call(Keychain.Set(service: "s", account: "a", value: someValue))
        let found = try await look(broker)
        #expect(found.filter { $0.verdict == .problem } == [])
        #expect(found.map(\.check) == Keychain.Check.allCases.filter(\.isBrokers).map(\.rawValue))
        #expect(try tpm.leftovers() == [])
        // Every problem comes with advice, and nothing mentions the item.
        let text = found.map { $0.message + ($0.advice ?? "") }.joined()
        #expect(!text.contains("dmFsdWU"))
        #expect(text.contains("the whole vault was checked: 1 item, 2 index entries"))
        await broker.stop()
    }

    @Test("without a TPM, and without a vault, there is less to look at")
    func less() async throws {
        let broker = try await throwAwayBroker()
        let checks = Set(try await look(broker).map(\.check))
        #expect(
            checks.isDisjoint(with: ["tpm", "tpm-identity", "storage-key", "verification", "log", "measured-boot"]))
        #expect(checks.isSuperset(of: ["unit", "files", "sockets", "pam", "clock"]))
        await broker.stop()
    }

    @Test("passwords, lockout with its seconds, and a storage key that is gone or another one are each named")
    func conditions() async throws {
        let tpm = try SWTPM()
        let broker = try await healthy(tpm)
        let tools = ["-T", tpm.tools]
        try Tool.output("tpm2_changeauth", tools + ["-c", "owner", "hunter2"])
        #expect(try await problems(broker).map(\.check) == ["tpm-passwords"])
        try Tool.output("tpm2_changeauth", tools + ["-c", "owner", "-p", "hunter2"])

        try tpm.lockOut(seconds: 600)
        let locked = try #require(try await problems(broker).first)
        #expect(locked.check == "tpm-lockout" && locked.message.contains("600 s"), "\(locked)")
        try Tool.output("tpm2_dictionarylockout", tools + ["--clear-lockout"])
        #expect(try await problems(broker) == [])

        let handle = try #require(try tpm.persistentHandles().first)
        try Tool.output("tpm2_evictcontrol", tools + ["-Q", "-C", "o", "-c", handle])
        let gone = try #require(try await problems(broker).first)
        #expect(gone.check == "storage-key" && gone.message.contains("gone"), "\(gone)")
        let context = tpm.folder.path + "/other.ctx"
        try Tool.output("tpm2_createprimary", tools + ["-Q", "-C", "o", "-G", "rsa", "-c", context])
        try Tool.output("tpm2_evictcontrol", tools + ["-Q", "-C", "o", "-c", context, handle])
        try Tool.output("tpm2_flushcontext", tools + ["-t"])
        let other = try #require(try await problems(broker).first)
        #expect(other.check == "storage-key" && other.message.contains("another key"), "\(other)")
        await broker.stop()
    }

    @Test("an index of Coffer's that no vault names is a note with its handle; vaults' own and other programs' are not")
    func indexes() async throws {
        let tpm = try SWTPM()
        let broker = try await healthy(tpm)
        func found() async throws -> Keychain.Finding? {
            try await look(broker).first { $0.check == "tpm-indexes" }
        }
        let tools = ["-T", tpm.tools]
        try Tool.output("tpm2_nvdefine", tools + ["-Q", "-C", "o", "-s", "8", "0x01800001"])
        #expect(try await found()?.verdict == .ok)
        try Tool.output("tpm2_nvdefine", tools + ["-Q", "-C", "o", "-s", "8", "0x01b0cabc"])
        let left = try #require(try await found())
        #expect(left.verdict == .note && left.message.hasSuffix("names: 0x1b0cabc"), "\(left)")
        let advised = try #require(left.advice?.split(separator: ": ").last?.split(separator: " "))
        try Tool.output(String(advised[0]), tools + advised.dropFirst().map(String.init))
        #expect(try await found()?.verdict == .ok)
        await broker.stop()
    }

    @Test("the TPM's certificate is checked against what root trusts, and status says which of the ways it is known by")
    func identity() async throws {
        let (tpm, maker) = (try SWTPM(), try TPMMaker())
        let roots = try TemporaryFolder()
        let broker = try await healthy(tpm, roots: roots.path)
        let client = try broker.client()
        func standing() async throws -> String? {
            let finding = try #require(try await look(broker).first { $0.check == "tpm-identity" })
            #expect(finding.verdict != .problem)
            return try await client.call(Keychain.Status()).sealer.identity
        }
        #expect(try await client.call(Keychain.Status()).sealer.identity == nil)
        #expect(try await standing() == "noCertificate")
        try maker.certify(tpm)
        #expect(try await standing() == "issuerUnknown")
        let file = roots.path + "/maker.pem"
        let text = Data(maker.root.der).base64EncodedString(options: .lineLength64Characters)
        let pem = "Maker\n-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n"
        // A file that anybody could have written is not trusted.
        try DurableFile.write(Array(pem.utf8), to: file, mode: 0o666)
        #expect(try await standing() == "issuerUnknown")
        try DurableFile.write(Array(pem.utf8), to: file, mode: 0o644)
        #expect(try await standing() == "certified")
        try FileManager.default.removeItem(atPath: file)
        try DurableFile.write(maker.root.der, to: roots.path + "/maker.der", mode: 0o644)
        #expect(try await standing() == "certified")
        #expect(try tpm.leftovers() == [])
        await broker.stop()
    }

    @Test(
        "a TPM that hangs is reported within its time, the rest is looked at all the same, and only one look is taken at a time"
    )
    func hanging() async throws {
        let tpm = try SWTPM()
        let broker = try await healthy(tpm, deadline: .seconds(20))
        tpm.hang()
        @Sendable func attempt() async throws -> [Keychain.Finding]? {
            do { return try await problems(broker) } catch let fault as Fault where fault.name == .limitExceeded {
                return nil
            }
        }
        async let first = attempt()
        async let second = attempt()
        let answers = try await [first, second]
        #expect(answers.count { $0 == nil } == 1)
        let found = try #require(answers.compactMap(\.self).first)
        #expect(found.map(\.check) == ["tpm"])
        #expect(found.first?.message.contains("answer") == true, "\(found)")
        tpm.resume()
        #expect(try await problems(broker) == [])
        await broker.stop()
    }

    @Test("a damaged vault is looked at, and said to be damaged; nothing else is done with it")
    func damage() async throws {
        let broker = try await healthy()
        let file = "\(broker.configuration.vaultDirectory)/\(owner.fileStem).vault"
        await broker.stop()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        for index in stride(from: 4096, to: bytes.count, by: 64) { bytes[index] ^= 1 }
        try bytes.write(to: URL(fileURLWithPath: file))
        let later = try await throwAwayBroker(folder: broker.folder, authenticator: broker.authenticator)
        for _ in 0..<2 {
            let found = try await look(later).filter { $0.check == "verification" }
            #expect(found.count == 1 && found.first?.verdict == .problem, "\(found)")
        }
        #expect(try await fault { try await later.client().call(Keychain.Status()) }.name == .damaged)
        await later.stop()
    }

    @Test("folders, files and sockets that others can reach are each named, with what mends them")
    func permissions() async throws {
        let broker = try await healthy()
        let vaults = broker.configuration.vaultDirectory
        let registry = broker.configuration.registryDirectory
        for (path, mode, check) in [
            (vaults, 0o755, "files"), ("\(vaults)/\(owner.fileStem).vault", 0o640, "files"),
            (registry, 0o777, "files"), (registry + "/signing-key.pem", 0o644, "files"),
            (broker.folder.path, 0o777, "sockets"),
        ] {
            let before = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            let found = try await problems(broker)
            #expect(found.first?.check == check && found.first?.advice != nil, "\(path): \(found)")
            #expect(found.first?.message.contains(path) == true, "\(path): \(found)")
            try FileManager.default.setAttributes([.posixPermissions: before ?? 0], ofItemAtPath: path)
        }
        #expect(try await problems(broker) == [])
        await broker.stop()
    }

    @Test(
        "PAM stacks are read as libpam reads them, and what leads past a person is found wherever it was included from",
        arguments: [
            (
                "auth sufficient pam_rootok.so\nauth required pam_unix.so\naccount required pam_unix.so",
                "root would always pass"
            ),
            ("auth required pam_unix.so nullok\naccount required pam_unix.so", "nullok"),
            (
                "auth [success=1 default=ignore] pam_unix.so try_first_pass nullok_secure\naccount required pam_unix.so",
                "nullok"
            ),
            (
                "auth sufficient /lib/security/pam_timestamp.so\nauth required pam_unix.so\naccount required pam_unix.so",
                "an old answer would pass"
            ),
            (
                "AUTH required \\\n  pam_faillock.so preauth\nauth required pam_unix.so\naccount required pam_unix.so",
                "could lock the account"
            ),
            (
                "auth required pam_tally2.so\nauth required pam_unix.so\naccount required pam_unix.so",
                "could lock the account"
            ),
            ("@include shared\naccount required pam_unix.so", "root would always pass"),
            ("auth substack shared\naccount required pam_unix.so", "root would always pass"),
            ("-auth include shared\naccount required pam_unix.so", "root would always pass"),
            ("auth required pam_unix.so\naccount include nowhere", "nowhere"),
            ("auth required pam_unix.so # account required pam_unix.so", "no account line"),
            ("auth required pam_permit.so\naccount required pam_unix.so", "without asking them"),
            (
                "auth sufficient pam_localuser.so\nauth required pam_unix.so\naccount required pam_unix.so",
                "pam_localuser.so"
            ),
            ("auth include coffer\naccount required pam_unix.so", "missing"),
        ])
    func stacks(text: String, words: String) throws {
        let folder = try TemporaryFolder()
        func put(_ text: String, _ name: String, _ mode: mode_t = 0o644) throws {
            try DurableFile.write(Array((text + "\n").utf8), to: "\(folder.path)/\(name)", mode: mode)
        }
        let sound = "auth required pam_unix.so\naccount required pam_unix.so"
        try put("auth sufficient pam_rootok.so\nauth required pam_unix.so\nsession optional pam_rootok.so", "shared")
        try put(text, "coffer")
        let user = OwnProcess.effectiveUser
        func problems() -> [Keychain.Finding] {
            PAMCheck.problems(of: "coffer", PAMStack(service: "coffer", folders: [folder.path]), owner: user)
        }
        #expect(problems().contains { $0.message.contains(words) && $0.advice != nil }, "\(problems())")
        try put(sound, "coffer")
        #expect(problems() == [])
        try put(sound, "coffer", 0o666)
        let open = try #require(problems().first)
        #expect(open.message.contains("written by others"), "\(open)")
        // What others wrote is not called in order unseen.
        let compared = try #require(open.advice?.range(of: "compare it with the file that its package brings"))
        let closed = try #require(open.advice?.range(of: "chmod 644"))
        #expect(compared.lowerBound < closed.lowerBound)
        // This test does not ask about sessions.
        try put(sound + "\nsession include shared", "coffer")
        #expect(problems() == [])
    }

    @Test("a service's file is that of the first folder, also behind a link, and one that cannot be read hides others")
    func files() throws {
        let (first, second) = (try TemporaryFolder(), try TemporaryFolder())
        func put(_ text: String, _ path: String) throws {
            try DurableFile.write(Array(text.utf8), to: path, mode: 0o644)
        }
        func stack() -> PAMStack { PAMStack(service: "coffer", folders: [first.path, second.path]) }
        #expect(stack().missing == ["coffer"])
        try put("auth required pam_unix.so\n", second.path + "/coffer")
        #expect(stack().lines.map(\.module) == ["pam_unix.so"] && stack().files == [second.path + "/coffer"])
        try put("auth required pam_u2f.so\n", first.path + "/elsewhere")
        try FileManager.default.createSymbolicLink(
            atPath: first.path + "/coffer", withDestinationPath: first.path + "/elsewhere")
        #expect(stack().lines.map(\.module) == ["pam_u2f.so"] && stack().files == [first.path + "/coffer"])
        try put(String(repeating: "#", count: DiagnosisLimits.pamFile + 1), first.path + "/elsewhere")
        #expect(stack().lines.isEmpty && stack().missing == ["coffer"])
        // Nobody ever writes to it.
        try FileManager.default.removeItem(atPath: first.path + "/coffer")
        let isMade = unsafe mkfifo(first.path + "/coffer", 0o600) == 0
        #expect(isMade)
        #expect(stack().lines.isEmpty)
    }

    @Test("Coffer's own PAM files pass")
    func ownStacks() {
        let folder = SourceTree.path("pam")
        for service in PAMCheck.services {
            let stack = PAMStack(service: service, folders: [folder])
            #expect(stack.lines.count >= 2)
            let found = PAMCheck.problems(of: service, stack, owner: OwnProcess.effectiveUser)
            #expect(found.filter { !$0.message.contains("written by others") } == [])
        }
    }

    @Test("a clock that is behind the vault is noticed, and one that is ahead is not")
    func clock() {
        var facts = DiagnosisFacts(
            configuration: Configuration(), owner: owner, authenticatorUID: 0, brokerUID: 0, process: .current(),
            now: 1_790_000_000_000)
        #expect(ClockCheck.findings(facts).map(\.verdict) == [.ok])
        let log = VaultCheckup.LogCheck(records: 1, problem: nil)
        facts.vault = .success(VaultCheckup(report: nil, log: log, newest: facts.now + 30_000))
        #expect(ClockCheck.findings(facts).map(\.verdict) == [.ok])
        facts.vault = .success(VaultCheckup(report: nil, log: log, newest: facts.now + 90_000))
        #expect(ClockCheck.findings(facts).map(\.verdict) == [.problem])
        let unset = DiagnosisFacts(
            configuration: Configuration(), owner: owner, authenticatorUID: 0, brokerUID: 0, process: .current(), now: 0
        )
        #expect(ClockCheck.findings(unset).map(\.verdict) == [.problem])
    }

    @Test("what the unit file promises is looked for in the process itself")
    func unit() throws {
        let whole = BrokerProcess(
            isUnit: true, status: ["NoNewPrivs": "1", "Seccomp": "2", "CapEff": "0000", "CapBnd": "0000"],
            coreLimit: ["0", "0"], swapLimit: "0", users: "0 0 4294967295", seesOtherProcesses: true,
            tunables: "glibc.malloc.perturb=165:glibc.malloc.tcache_count=0", backtrace: "enable=no")
        #expect(UnitCheck.missing(in: whole) == [])
        var changed = whole
        changed.coreLimit = ["unlimited", "unlimited"]
        #expect(UnitCheck.missing(in: changed) == ["LimitCORE=0"])
        changed = whole
        changed.swapLimit = "max"
        changed.users = "0 100000 65536"
        #expect(UnitCheck.missing(in: changed) == ["MemorySwapMax=0", "PrivateUsers=no"])
        // Each line is one that the unit must have, or one that it must not have.
        changed = BrokerProcess(
            isUnit: true, status: [:], coreLimit: [], swapLimit: nil, users: "", seesOtherProcesses: false,
            tunables: "", backtrace: "")
        let lines = try SourceTree.text("packaging/systemd/cofferd.service").split(separator: "\n")
        for line in UnitCheck.missing(in: changed) where line != "PrivateUsers=no" && line != "ProtectProc=default" {
            #expect(lines.contains { $0.hasPrefix(line) }, "\(line)")
        }
        // The facts that were read of this very process.
        let own = BrokerProcess.current()
        #expect(own.status["Seccomp"] != nil && own.coreLimit.count == 2 && own.seesOtherProcesses)
    }

    @Test("who can use the TPM's device besides the broker is named")
    func access() throws {
        func finding(_ owner: String, _ members: [String], _ mode: UInt32) -> Keychain.Finding {
            TPMAccessCheck.finding(
                .init(path: "/dev/tpmrm0", owner: owner, group: "tss", members: members, mode: mode), broker: "coffer")
        }
        #expect(finding("tss", ["coffer"], 0o660).verdict == .ok)
        #expect(finding("root", [], 0o600).verdict == .ok)
        #expect(finding("root", ["mallory"], 0o600).verdict == .ok)
        let open = finding("tss", ["coffer", "mallory"], 0o660)
        #expect(open.verdict == .problem && open.message.contains("mallory") && !open.message.contains("coffer,"))
        #expect(finding("mallory", [], 0o600).verdict == .problem)
        #expect(finding("root", [], 0o666).verdict == .problem)
        // The check finds what is there.
        let device = try #require(try TPMAccessCheck.Device("/dev/null"))
        #expect(device.owner == "root" && device.mode == 0o666)
        let none = try TPMAccessCheck.Device("/dev/tpmrm-none")
        #expect(none?.path == nil)
    }

    @Test(
        "another user's look says nothing of this one's vault",
        .enabled(if: OwnProcess.effectiveUser == 0, "needs root"))
    func foreign() async throws {
        let tpm = try SWTPM()
        let broker = try await healthy(tpm)
        let other = try await OtherUser(broker, 1)
        let said = try await other.say("Diagnose")
        #expect(said.contains("tpm-lockout") && !said.contains("user-0") && !said.contains("storage-key"), "\(said)")
        #expect(!said.contains("verification") && !said.contains("index entries"), "\(said)")
        await broker.stop()
    }
}
