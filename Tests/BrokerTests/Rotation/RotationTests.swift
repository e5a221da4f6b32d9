import Authorization
import BrokerProtocol
import Cryptography
import Foundation
import Item
import Platform
import Recovery
import Synchronization
import TPM
import TestSupport
import Testing
import Varlink

@testable import Broker
@testable import Vault

/// All keys of a vault are renewed: what stays, who is asked, and what nobody can open afterwards.
@Suite(.timeLimit(.minutes(30)))
struct RotationTests {
    /// All items without their revisions, which fresh keys change.
    private static func items(_ client: WireClient) async throws -> [Keychain.Item] {
        try await client.call(Keychain.List()).items.map { item in
            var item = item
            item.revision = ""
            return item
        }
    }

    private static let uid = OwnProcess.effectiveUser

    private func broker(_ tpm: SWTPM, after earlier: ThrowAwayBroker? = nil) async throws -> ThrowAwayBroker {
        try await ThrowAwayBroker(
            folder: earlier?.folder, authenticator: earlier?.authenticator, configure: { $0.sealer = .tpm }
        ) { _ in TPMSealer(TPMAccess.patient(tpm.configuration)) }
    }

    private func set(
        _ client: WireClient, _ account: String, _ value: [UInt8], _ access: AccessControl? = nil
    ) async throws {
        _ = try await client.call(
            Keychain.Set(
                service: "s", account: account, value: Data(value).base64EncodedString(),
                access: access.map(Keychain.AccessChange.init(whole:))))
    }

    private func get(_ broker: ThrowAwayBroker, _ client: WireClient, _ account: String) async throws -> [UInt8] {
        let reply = try await broker.call(client, Keychain.Get(service: "s", account: account)) {
            Keychain.Get(service: "s", account: account, challenge: $0)
        }
        return Array(Data(base64Encoded: reply.value) ?? Data())
    }

    /// The whole renewal, as often as it asks.
    /// - Parameter former: of the conversation before, if there was one.
    /// - Returns: the number of conversations.
    @discardableResult
    private func rotate(
        _ broker: ThrowAwayBroker, _ client: WireClient, pin: [UInt8]? = nil, saltByte: UInt8 = 2,
        passwords: [Keychain.ItemPassword]? = nil, after former: String? = nil
    ) async throws -> (reply: Keychain.RotateAll.Reply, conversations: Int) {
        var method = Keychain.RotateAll(applicationPasswords: passwords)
        method.challenge = former
        for conversation in 0..<5 {
            do { return (try await client.call(method), conversation) } catch let fault as Fault
                where fault.name == .authenticationRequired
            {
                let id = try #require(fault.details.challenge)
                let (line, _) = try await broker.authenticator.rotate(id, pin: pin, saltByte: saltByte)
                await line.close()
                method.challenge = id
            }
        }
        throw WireClient.Closed()
    }

    private var registryRecord: (ThrowAwayBroker) throws -> RegistryRecord {
        { try #require(try $0.authenticator.registry.record(for: .user(Self.uid))) }
    }

    private func copy(_ broker: ThrowAwayBroker) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let name = VaultFile.path(of: .user(Self.uid), in: "")
        try FileManager.default.copyItem(
            atPath: broker.configuration.vaultDirectory + name, toPath: folder.path + name)
        return folder
    }

    @Test func everythingIsWhatItWasUnderOtherKeys() async throws {
        let tpm = try SWTPM()
        let first = try await broker(tpm)
        let client = try first.client()
        try await first.makeVault(client)
        let bytes = (0..<300).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        try await set(client, "plain", bytes)
        try await set(client, "empty", [])
        try await set(client, "always", [0, 255], AccessControl.always)
        try await set(client, "gated", bytes.reversed(), .presence)
        try await set(
            client, "either", [1, 2, 3], AccessControl.whenUnlocked.requiringAny(of: .userPresence, .devicePasscode))
        try await set(
            client, "both", [4, 5], AccessControl.whenUnlocked.requiring(.userPresence, .devicePasscode))
        let before = try await Self.items(client)
        let record = try registryRecord(first)
        let log = try await client.call(Keychain.Log()).records.count
        let (reply, conversations) = try await rotate(first, client)
        #expect(reply.items == 6 && reply.revoked && conversations == 1)
        let next = try registryRecord(first)
        #expect(next.vault != record.vault && next.generation != record.generation && next.created == record.created)
        #expect(Set(next.objects.values).isDisjoint(with: record.objects.values))
        #expect(try await client.call(Keychain.Status()).vault.state == .unlocked)

        // Now, and after a restart of the broker.
        var (current, reader) = (first, client)
        for restarts in [false, true] {
            if restarts {
                await current.stop()
                current = try await broker(tpm, after: first)
                reader = try current.client()
                _ = try await current.call(reader, Keychain.Unlock()) { Keychain.Unlock(challenge: $0) }
            }
            #expect(try await Self.items(reader) == before)
            #expect(try await get(current, reader, "plain") == bytes)
            #expect(try await get(current, reader, "empty") == [])
            #expect(try await get(current, reader, "always") == [0, 255])
            #expect(try await get(current, reader, "gated") == bytes.reversed())
            #expect(try await get(current, reader, "either") == [1, 2, 3])
            #expect(try await get(current, reader, "both") == [4, 5])
            let records = try await reader.call(Keychain.Log()).records
            #expect(records.count > log && records.first?.event == "start")
            #expect(records.contains { $0.event == "rotate" && $0.detail?.contains("6 items") == true })
            #expect(try await reader.call(Keychain.VerifyLog()).whole)
        }
        // Only the files of the present vault, and one generation in the TPM.
        let names = try FileManager.default.contentsOfDirectory(atPath: current.configuration.vaultDirectory)
            .filter { !$0.hasSuffix("-wal") }
        #expect(names.sorted() == ["user-\(Self.uid).log", "user-\(Self.uid).vault"], "\(names)")
        let indexes = try Tool.output("tpm2_getcap", ["-T", tpm.tools, "handles-nv-index"]).lowercased()
        #expect(indexes.contains(String(try #require(next.generation).handle, radix: 16)))
        #expect(!indexes.contains(String(try #require(record.generation).handle, radix: 16)))
        #expect(try tpm.leftovers() == [])
        await current.stop()
    }

    @Test func anOldCopyOpensNothingWhoeverSigns() async throws {
        let tpm = try SWTPM()
        let first = try await broker(tpm)
        let client = try first.client()
        try await first.makeVault(client)
        try await set(client, "plain", [1])
        try await set(client, "gated", [2], .presence)
        let stolen = try copy(first)
        let record = try registryRecord(first)
        try await rotate(first, client)
        await first.stop()

        // The attacker has the former file, root's record and the signing key of that time, and this TPM.
        let sealer = TPMSealer(TPMAccess.patient(tpm.configuration))
        #expect(throws: VaultError.self) { try OpenVault(directory: stolen.path, record: record, sealer: sealer) }
        // The attacker goes straight to the TPM, past the counter, which is gone too.
        let database = try VaultDatabase(path: VaultFile.path(of: .user(Self.uid), in: stolen.path))
        let objects = try database.read { (rows) throws(VaultError) in try rows.objects() }
        try database.close()
        func sign(_ request: SigningRequest) throws(SigningRefusal) -> [UInt8] {
            do { return try first.authenticator.key.signature(for: request.message()) } catch { throw SigningRefusal() }
        }
        func code(_ body: () throws(SealerError) -> SecretBytes) -> SealerError.Code? {
            do throws(SealerError) {
                _ = try body()
                return nil
            } catch { return error.code }
        }
        for role in [ObjectRole.unlockRoot, .recovery] {
            #expect(
                code { () throws(SealerError) in try sealer.open(role, objects, record: record, sign: sign) }
                    == .keysRenewed)
        }
        for role in [ObjectRole.presence, .biometryAny, .passcode] {
            let point = try P256.PrivateKey.generate().publicKey
            #expect(
                code { () throws(SealerError) in
                    try sealer.agree(role, point: point, objects, record: record, sign: sign)
                } == .keysRenewed)
        }
        // The attacker puts it in place of the new one, and starts a broker.
        let again = try await ThrowAwayBroker(authenticator: first.authenticator, configure: { $0.sealer = .tpm }) {
            _ in
            TPMSealer(TPMAccess.patient(tpm.configuration))
        }
        try again.authenticator.registry.write(record)
        let name = VaultFile.path(of: .user(Self.uid), in: "")
        try FileManager.default.copyItem(
            atPath: stolen.path + name, toPath: again.configuration.vaultDirectory + name)
        let reader = try again.client()
        let refused = try await fault { try await reader.call(Keychain.List()) }
        #expect(refused.name == .damaged && refused.details.kind == Keychain.rollback)
        // Root and the owner accept it by mistake. The keys stay closed.
        _ = try OpenVault(
            accepting: record, sparing: again.authenticator.registry,
            directory: again.configuration.vaultDirectory, sealer: sealer)
        await again.stop()
        let accepted = try await ThrowAwayBroker(
            folder: again.folder, authenticator: first.authenticator, configure: { $0.sealer = .tpm }
        ) { _ in TPMSealer(TPMAccess.patient(tpm.configuration)) }
        let late = try accepted.client()
        let id = try await challenge { try await late.call(Keychain.Unlock()) }
        let closed = try await fault {
            try await accepted.authenticator.grant(id)
            return true
        }
        #expect(closed.name == .brokerTPM && closed.details.kind == "renewed")
        await accepted.stop()
    }

    private func epoch(of file: Data) throws -> UInt64 {
        let folder = try TemporaryFolder()
        try file.write(to: URL(fileURLWithPath: folder.path + "/copy"))
        let database = try VaultDatabase(path: folder.path + "/copy")
        let content = try database.read { (rows) throws(VaultError) in try rows.header().content }
        try database.close()
        return try Header(decoding: content).epoch
    }

    @Test func aCopyOfAnUnfinishedSuccessorIsAnOlderOne() async throws {
        let tpm = try SWTPM()
        let first = try await broker(tpm)
        let client = try first.client()
        try await first.makeVault(client)
        try await set(client, "plain", [1])
        try await set(client, "gated", [2], .presence)
        let id = try await challenge { try await client.call(Keychain.RotateAll()) }
        let (line, _) = try await first.authenticator.rotate(id, stop: .items)
        let directory = first.configuration.vaultDirectory
        let successor = VaultFile.successorPath(of: .user(Self.uid), in: directory)
        let unfinished = try Data(contentsOf: URL(fileURLWithPath: successor))
        await line.close()
        try await rotate(first, client)
        let path = VaultFile.path(of: .user(Self.uid), in: directory)
        // From the first moment on, and not only once the broker has stopped.
        #expect(try epoch(of: Data(contentsOf: URL(fileURLWithPath: path))) > epoch(of: unfinished))
        await first.stop()
        try unfinished.write(to: URL(fileURLWithPath: path))
        let second = try await broker(tpm, after: first)
        let refused = try await fault { try await second.client().call(Keychain.List()) }
        #expect(refused.name == .damaged && refused.details.kind == Keychain.rollback)
        await second.stop()
    }

    @Test(arguments: [TestAuthenticator.RotationStop.succeed, .proof, .registry])
    func anAuthenticatorThatEndsIsWaitedForUntilItDoes(stop: TestAuthenticator.RotationStop) async throws {
        let tpm = try SWTPM()
        let broker = try await broker(tpm)
        let client = try broker.client()
        try await broker.makeVault(client)
        try await set(client, "plain", [1])
        try await set(client, "gated", [2], .presence)
        let record = try registryRecord(broker)
        let id = try await challenge { try await client.call(Keychain.RotateAll()) }
        let (line, _) = try await broker.authenticator.rotate(id, stop: stop)
        // The registry may name the successor at any moment. Nothing may be written to the vault before.
        let isWritten = Mutex(false)
        let other = try broker.client()
        async let writing: Void = {
            try await set(other, "late", [3])
            isWritten.withLock { $0 = true }
        }()
        try await Task.sleep(for: .milliseconds(400))
        #expect(isWritten.withLock { !$0 })
        await line.close()
        try await writing
        #expect(try registryRecord(broker).vault != record.vault || stop != .registry)
        for _ in 0..<2 {
            _ = try await broker.call(client, Keychain.Unlock()) { Keychain.Unlock(challenge: $0) }
            for (account, value) in [("plain", [1]), ("gated", [2]), ("late", [3])] as [(String, [UInt8])] {
                #expect(try await get(broker, client, account) == value)
            }
            #expect(try await rotate(broker, client).reply.items == 3)
        }
        #expect(try await client.call(Keychain.VerifyLog()).whole)
        await broker.stop()
    }

    @Test func nothingIsRenewedWithoutASignature() async throws {
        let tpm = try SWTPM()
        let broker = try await broker(tpm)
        let client = try broker.client()
        try await broker.makeVault(client)
        try await set(client, "gated", [2], .presence)
        let record = try registryRecord(broker)
        let id = try await challenge { try await client.call(Keychain.RotateAll()) }
        #expect(try await fault { try await client.call(Keychain.RotateAll(challenge: id)) }.name == .challengeRefused)
        let other = try await challenge { try await client.call(Keychain.RotateAll()) }
        let line = try broker.authenticator.connect()
        let facts = try await line.call(
            TestAuthenticator.describe(other, uid: Self.uid, TestAuthenticator.thisProcess()))
        #expect(facts.purposes == [.rotate] && facts.items == [.init(service: "s", account: "gated")])
        #expect(facts.authorizations.map(\.kind) == ["unlock", "presence"] && facts.alternatives == [[0, 1]])
        // The steps that follow, without the ones that they take.
        let key = Data(broker.authenticator.key.publicKey).base64EncodedString()
        let early = try await fault {
            try await line.call(BrokerInterface.Renew(challenge: other, authenticatorKey: key))
        }
        #expect(early.name == .brokerChallengeRefused)
        for unlock in [true, false] {
            let next = try await challenge { try await client.call(Keychain.RotateAll()) }
            let (line, _) = try await broker.authenticator.rotate(next, stop: unlock ? .renew : .describe)
            // Nobody signed for the gated item.
            let incomplete = try await fault {
                try await line.call(BrokerInterface.Succeed<RegistryRecord>(challenge: next))
            }
            #expect(incomplete.name == .brokerChallengeRefused)
            let adopted = try await fault { try await line.call(BrokerInterface.AdoptSuccessor(challenge: next)) }
            #expect(adopted.name == .brokerChallengeRefused)
            await line.close()
        }
        #expect(try registryRecord(broker) == record)
        #expect(try await get(broker, client, "gated") == [2])
        await broker.stop()
    }

    /// A guarded value is sealed anew under its item's new name. So what a person allowed before does not cover it.
    @Test func aGuardedItemThatIsRenamedMeanwhileIsAskedForAgain() async throws {
        let tpm = try SWTPM()
        let broker = try await broker(tpm)
        let client = try broker.client()
        try await broker.makeVault(client)
        try await set(client, "a", [1])
        try await set(client, "x", [2], .presence)
        let id = try await challenge { try await client.call(Keychain.RotateAll()) }
        let (line, isDone) = try await broker.authenticator.rotate(id) { step in
            guard step == .succeed else { return }
            let rename = Keychain.Rename(service: "s", account: "x", newService: "s", newAccount: "w")
            _ = try await broker.call(client, rename) { challenge in
                var repeated = rename
                repeated.challenge = challenge
                return repeated
            }
        }
        #expect(!isDone)
        await line.close()
        let next = try await challenge { try await client.call(Keychain.RotateAll(challenge: id)) }
        let (again, isDoneThen) = try await broker.authenticator.rotate(next)
        #expect(isDoneThen)
        await again.close()
        #expect(try await client.call(Keychain.RotateAll(challenge: next)).items == 2)
        #expect(try await get(broker, client, "w") == [2])
        #expect(try await get(broker, client, "a") == [1])
        await broker.stop()
    }

    @Test func whatIsStoredMeanwhileIsKept() async throws {
        let tpm = try SWTPM()
        let broker = try await broker(tpm)
        let client = try broker.client()
        try await broker.makeVault(client)
        for account in ["a", "b", "c", "d"] { try await set(client, account, [1]) }
        for account in ["x", "y", "z"] { try await set(client, account, [1], .presence) }
        let id = try await challenge { try await client.call(Keychain.RotateAll()) }
        let (line, isDone) = try await broker.authenticator.rotate(id) { step in
            guard step == .succeed else { return }
            // Taken up already or not: set again, renamed, edited, removed, added.
            try await set(client, "a", [2])
            try await set(client, "new", [3])
            _ = try await client.call(Keychain.Delete(service: "s", account: "b"))
            let rename = Keychain.Rename(service: "s", account: "d", newService: "s", newAccount: "w")
            _ = try await client.call(rename)
            _ = try await client.call(Keychain.Edit(service: "s", account: "y", label: "L"))
            _ = try await client.call(Keychain.Delete(service: "s", account: "z"))
        }
        #expect(isDone)
        await line.close()
        #expect(try await client.call(Keychain.RotateAll(challenge: id)).items == 6)
        let expected: [String: [UInt8]] = ["a": [2], "c": [1], "new": [3], "w": [1], "x": [1], "y": [1]]
        #expect(Set(try await client.call(Keychain.List()).items.map(\.account)) == Set(expected.keys))
        for (account, value) in expected { #expect(try await get(broker, client, account) == value) }
        #expect(try await client.call(Keychain.Show(service: "s", account: "y")).item.label == "L")
        await broker.stop()
    }

    @Test func aGatedItemThatIsSetMeanwhileIsAskedForByItself() async throws {
        let tpm = try SWTPM()
        let broker = try await broker(tpm)
        let client = try broker.client()
        try await broker.makeVault(client)
        for account in ["x", "y"] { try await set(client, account, [1], .presence) }
        let record = try registryRecord(broker)
        let id = try await challenge { try await client.call(Keychain.RotateAll()) }
        let (line, isDone) = try await broker.authenticator.rotate(id) { step in
            if step == .succeed { try await set(client, "x", [2], .presence) }
        }
        #expect(!isDone)
        await line.close()
        #expect(try registryRecord(broker) == record)
        let next = try await challenge { try await client.call(Keychain.RotateAll(challenge: id)) }
        let described = try await broker.authenticator.rotate(next, stop: .describe)
        await described.line.close()
        let last = try await challenge { try await client.call(Keychain.RotateAll()) }
        let asking = try broker.authenticator.connect()
        let facts = try await asking.call(
            TestAuthenticator.describe(last, uid: Self.uid, TestAuthenticator.thisProcess()))
        #expect(facts.items == [.init(service: "s", account: "x")])
        await asking.close()
        #expect(try await rotate(broker, client).reply.items == 2)
        #expect(try await get(broker, client, "x") == [2])
        #expect(try await get(broker, client, "y") == [1])
        await broker.stop()
    }

    @Test func moreItemsThanAPromptNamesTakeMorePrompts() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await broker.makeVault(client)
        for number in 0..<40 { try await set(client, "g\(number)", [UInt8(number)], .presence) }
        let (reply, conversations) = try await rotate(broker, client)
        #expect(reply.items == 40 && conversations == 2)
        for number in [0, 31, 32, 39] { #expect(try await get(broker, client, "g\(number)") == [UInt8(number)]) }
        await broker.stop()
    }

    @Test func applicationPasswordsAreTheItemsAfterwardsToo() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await broker.makeVault(client)
        let right = Data("open".utf8).base64EncodedString()
        for (account, require) in [
            ("alone", [AccessControl.Requirement.applicationPassword]),
            ("both", [.userPresence, .applicationPassword]),
        ] {
            _ = try await client.call(
                Keychain.Set(
                    service: "s", account: account, value: someValue, access: .init(require: require),
                    applicationPassword: right))
        }
        let asked = try await client.call(Keychain.RotateAll())
        #expect(asked.items == nil && Set(asked.passwords.map(\.account)) == ["alone", "both"])
        let wrong = asked.passwords.map {
            Keychain.ItemPassword(item: $0.id, password: Data("shut".utf8).base64EncodedString())
        }
        let refused = try await fault { try await rotate(broker, client, passwords: wrong).reply }
        #expect(refused.name == .applicationPasswordRefused || refused.name == .brokerFailed, "\(refused)")
        let given = asked.passwords.map { Keychain.ItemPassword(item: $0.id, password: right) }
        #expect(try await rotate(broker, client, passwords: given).reply.items == 2)
        for account in ["alone", "both"] {
            let get = Keychain.Get(service: "s", account: account, applicationPassword: right)
            let value = try await broker.call(client, get) {
                Keychain.Get(service: "s", account: account, applicationPassword: right, challenge: $0)
            }.value
            #expect(value == someValue)
        }
        await broker.stop()
    }

    private func bind(_ broker: ThrowAwayBroker, _ client: WireClient, to pin: [UInt8]) async throws {
        let bind = try await challenge { try await client.call(Keychain.Unlock(bind: true)) }
        let line = try await broker.authenticator.described(bind)
        try await broker.authenticator.release(bind, pin: nil, reseals: true, over: line)
        try await broker.authenticator.reseal(bind, to: pin, over: line)
        await line.close()
    }

    /// With what one prompt has sealed, the next one goes on. It ends however often the password has changed meanwhile,
    /// and what was made for a former password is never what is opened with.
    @Test(arguments: [false, true])
    func aBoundVaultWithManyGuardedItemsIsRenewed(changesPassword: Bool) async throws {
        let tpm = try SWTPM()
        let broker = try await broker(tpm)
        let client = try broker.client()
        try await broker.makeVault(client)
        let pin = [UInt8](repeating: 5, count: 32)
        try await bind(broker, client, to: pin)
        for number in 0..<34 { try await set(client, "g\(number)", [UInt8(number)], .presence) }
        let record = try registryRecord(broker)
        var former: String?
        if changesPassword {
            let id = try await challenge { try await client.call(Keychain.RotateAll()) }
            let (line, isDone) = try await broker.authenticator.rotate(id, pin: pin, saltByte: 7)
            await line.close()
            #expect(!isDone)
            former = id
        }
        let (reply, conversations) = try await rotate(broker, client, pin: pin, after: former)
        #expect(reply.items == 34 && conversations == 2)
        let next = try registryRecord(broker)
        #expect(next.binding?.salt == [UInt8](repeating: 2, count: 16) && next.binding?.index != record.binding?.index)
        for number in [0, 31, 32, 33] { #expect(try await get(broker, client, "g\(number)") == [UInt8(number)]) }
        // Nothing of the successors that were given up stays in the TPM: generation, counter and password.
        let indexes = try Tool.output("tpm2_getcap", ["-T", tpm.tools, "handles-nv-index"]).split(separator: "\n")
        #expect(indexes.count == 3, "\(indexes)")
        await broker.stop()
    }

    @Test func aBoundVaultStaysBoundUnderAnotherIndex() async throws {
        let tpm = try SWTPM()
        let broker = try await broker(tpm)
        let client = try broker.client()
        try await broker.makeVault(client)
        let pin = [UInt8](repeating: 5, count: 32)
        try await bind(broker, client, to: pin)
        try await set(client, "secret", [9], AccessControl.passcodeSet)
        let record = try registryRecord(broker)
        // Without the password, nothing opens.
        let bare = try await challenge { try await client.call(Keychain.RotateAll()) }
        #expect(try await fault { try await broker.authenticator.rotate(bare).isDone }.name == .brokerChallengeRefused)
        #expect(try await rotate(broker, client, pin: pin).reply.items == 1)
        let next = try registryRecord(broker)
        #expect(next.binding != nil && next.binding?.index != record.binding?.index)
        _ = try await client.call(Keychain.Lock())
        let locked = try await challenge { try await client.call(Keychain.Unlock()) }
        let opening = try await broker.authenticator.described(locked)
        try await broker.authenticator.release(locked, pin: pin, reseals: false, over: opening)
        await opening.close()
        #expect(try await get(broker, client, "secret") == [9])
        let indexes = try Tool.output("tpm2_getcap", ["-T", tpm.tools, "handles-nv-index"]).split(separator: "\n")
        // Generation, counter and password.
        #expect(indexes.count == 3, "\(indexes)")
        await broker.stop()
    }

    @Test func theRecoveryCodeFromBeforeOpensOldCopiesOnly() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await broker.makeVault(client)
        try await set(client, "plain", [7])
        let code = try await broker.call(client, Keychain.NewRecoveryCode()) { Keychain.NewRecoveryCode(challenge: $0) }
        let part = String(code.code.split(separator: "-")[Int(code.part) - 1])
        _ = try await client.call(Keychain.ConfirmRecoveryCode(characters: part))
        let old = try copy(broker)
        try await rotate(broker, client)
        #expect(try await client.call(Keychain.Status()).recovery == Keychain.RecoveryState(made: nil))
        await broker.stop()
        let name = VaultFile.path(of: .user(Self.uid), in: "")
        let scratch = try TemporaryFolder()
        let typed = try RecoveryCode(reading: SecretBytes(copying: Array(code.code.utf8)))
        _ = try RecoverableVault(copying: old.path + name, to: scratch.path, code: typed)
        #expect(throws: (any Error).self) {
            try RecoverableVault(
                copying: broker.configuration.vaultDirectory + name, to: scratch.path, code: typed)
        }
    }

    @Test func whatWasGrantedForTheKeysBeforeIsOver() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await broker.makeVault(client)
        try await set(client, "gated", [2], .presence)
        let read = try await challenge { try await client.call(Keychain.Get(service: "s", account: "gated")) }
        try await broker.authenticator.grant(read)
        let code = try await challenge { try await client.call(Keychain.NewRecoveryCode()) }
        try await broker.authenticator.grant(code)
        try await rotate(broker, client)
        let late = try await fault {
            try await client.call(Keychain.Get(service: "s", account: "gated", challenge: read))
        }
        #expect(late.name == .challengeRefused)
        #expect(
            try await fault { try await client.call(Keychain.NewRecoveryCode(challenge: code)) }.name
                == .challengeRefused)
        #expect(try await get(broker, client, "gated") == [2])
        await broker.stop()
    }
}
