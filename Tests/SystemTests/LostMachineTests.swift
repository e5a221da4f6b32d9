import Authorization
import Cryptography
import Foundation
import Recovery
import TPM
import TestSupport
import Testing
import Vault

/// The loss of a machine. The new one has a TPM of its own. The person still has a copy of the file, and the code.
@Suite struct LostMachineTests {
    private static let password = "sandbox"

    /// A sandbox with items of every kind that matters here.
    private func furnished() throws -> Sandbox {
        let sandbox = try Sandbox()
        let items: [([String], String)] = [
            (["mail", "me", "--label", "Mail", "--attribute", "kind=imap"], "one"),
            (["bank", "me", "--require", "presence", "--comment", "joint"], "two"),
            (["pin", "me", "--require", "presence", "--require", "passcode", "--any"], "three"),
            (["boot", "disk", "--access", "after-first-unlock"], "four"),
            (["here", "only", "--this-device-only"], "five"),
            (["always", "here", "--access", "always"], "six"),
        ]
        for (arguments, value) in items {
            let stored = try sandbox.coffer(["set"] + arguments, input: Array(value.utf8), password: Self.password)
            try #require(stored.code == 0, "\(stored)")
        }
        return sandbox
    }

    @Test func anotherMachineGetsEverythingPortableAndGuardsItAgain() throws {
        let old = try furnished()
        let code = try old.newRecoveryCode()
        let copy = try old.copyOfVault()
        let new = try Sandbox()
        let restored = try new.coffer(
            "recovery", "restore", copy, "--json", input: Array((code + "\n").utf8), password: Self.password)
        #expect(restored.code == 0, "\(restored)")
        struct Item: Decodable, Equatable { var service, outcome: String }
        #expect(
            try JSONDecoder().decode([Item].self, from: Data(restored.output)) == [
                Item(service: "always", outcome: "lost"), Item(service: "bank", outcome: "restored"),
                Item(service: "boot", outcome: "restored"), Item(service: "here", outcome: "lost"),
                Item(service: "mail", outcome: "restored"), Item(service: "pin", outcome: "restored"),
            ])
        #expect(try new.coffer("get", "mail", "me", "--no-prompt").text == "one")
        #expect(try new.coffer("get", "boot", "disk", "--no-prompt").text == "four")
        // Gated as before: the person is asked here and now.
        for (service, value) in [("bank", "two"), ("pin", "three")] {
            #expect(try new.coffer("get", service, "me", "--no-prompt").code == 4)
            #expect(try new.coffer("get", service, "me", password: "wrong").code == 4)
            #expect(try new.coffer("get", service, "me", password: Self.password).text == value)
        }
        let shown = try new.coffer("show", "pin", "me").text
        #expect(shown.contains("presence") && shown.contains("passcode"), "\(shown)")
        #expect(try new.coffer("show", "mail", "me").text.contains("Mail"))
        #expect(try new.coffer("show", "bank", "me").text.contains("joint"))
        // The old machine's code is not valid for the new vault.
        #expect(try new.coffer("status").text.contains("Recovery code: none"))
        let foreign = try old.coffer("recovery", "restore", new.copyOfVault(), input: Array(code.utf8))
        #expect(foreign.code == 3, "\(foreign)")
    }

    /// The way that docs/recovery.md describes, step by step.
    @Test func aClearedTPMIsNamedAndTheSameMachineGoesOnWithANewVault() throws {
        let sandbox = try furnished()
        let code = try sandbox.newRecoveryCode()
        try sandbox.tpm("tpm2_clear", "-c", "p")
        try sandbox.script("stop-broker")
        try sandbox.script("start-broker")
        for arguments in [["get", "mail", "me"], ["list"], ["unlock"]] {
            let refused = try sandbox.coffer(arguments, password: Self.password)
            #expect(refused.code == 8 && refused.errors.contains("cleared or replaced"), "\(refused)")
            #expect(refused.errors.contains("coffer recovery restore"), "\(refused)")
        }
        // Coffer never starts afresh by itself.
        #expect(try sandbox.coffer("set", "x", "y", input: [1], password: Self.password).code == 8)
        try sandbox.script("stop-broker")
        let (file, old) = (try sandbox.vaultFile(), sandbox.folder + "/old.vault")
        try FileManager.default.moveItem(atPath: file, toPath: old)
        let record = sandbox.directory + "/registry/vaults/user-\(getuid()).json"
        try FileManager.default.moveItem(atPath: record, toPath: sandbox.folder + "/old.json")
        try sandbox.script("start-broker")
        let restored = try sandbox.coffer("recovery", "restore", old, input: Array(code.utf8), password: Self.password)
        #expect(restored.code == 0 && restored.errors.contains("Restored 4 of 6"), "\(restored)")
        #expect(try sandbox.coffer("get", "bank", "me", password: Self.password).text == "two")
        #expect(try sandbox.coffer("get", "bank", "me", "--no-prompt").code == 4)
    }

    @Test func anEvictedStorageKeyIsPutBackByItself() throws {
        let sandbox = try furnished()
        try sandbox.script("stop-broker")
        let record = try Data(
            contentsOf: URL(fileURLWithPath: sandbox.directory + "/registry/vaults/user-\(getuid()).json"))
        struct Record: Decodable {
            struct Key: Decodable { var handle: UInt32 }
            var storageKey: Key
        }
        let handle = try JSONDecoder().decode(Record.self, from: record).storageKey.handle
        try sandbox.tpm("tpm2_evictcontrol", "-C", "o", "-c", "0x" + String(handle, radix: 16))
        try sandbox.script("start-broker")
        #expect(try sandbox.coffer("unlock", password: Self.password).code == 0)
        #expect(try sandbox.coffer("get", "mail", "me").text == "one")
        #expect(try sandbox.coffer("get", "bank", "me", password: Self.password).text == "two")
    }

    /// Attacker 1 has the file without the code. Attacker 9 has file, TPM and an older code.
    @Test func aWrongAnOldAndAnUnconfirmedCodeBringNothing() throws {
        let old = try furnished()
        let first = try old.newRecoveryCode()
        let early = try old.copyOfVault()
        let second = try old.newRecoveryCode()
        let unconfirmed = try old.newRecoveryCode(confirming: false)
        let late = try old.copyOfVault()
        let new = try Sandbox()
        func restore(_ copy: String, _ code: String) throws -> Outcome {
            try new.coffer("recovery", "restore", copy, "--dry-run", input: Array(code.utf8))
        }
        for code in [first, unconfirmed] {
            let outcome = try restore(late, code)
            #expect(outcome.code == 4 && outcome.errors.contains("another vault's or an older one"), "\(outcome)")
        }
        #expect(try restore(late, second).code == 0)
        #expect(try restore(early, first).code == 0)
        #expect(try restore(early, second).code == 4)
        // A typing error is not a wrong code. It is found before anything is tried with the code.
        let slip = String(second.dropLast()) + (second.last == "0" ? "1" : "0")
        for code in [slip, String(second.dropLast(3)), ""] {
            let outcome = try restore(late, code)
            #expect(outcome.code == 64 && !outcome.errors.contains(second.prefix(5)), "\(outcome)")
        }
        #expect(try !new.coffer("list").text.contains("me"))
    }

    /// Attacker 9 has files and TPM, but not the authenticator's signature for exactly this.
    @Test func aTakenOverBrokerHasNoRecoveryKey() throws {
        let sandbox = try Sandbox()
        #expect(try sandbox.coffer("set", "a", "b", input: [1]).code == 0)
        try sandbox.script("stop-broker")
        let tcti = try TCTIConfiguration(parsing: try #require(sandbox.variables["COFFER_SANDBOX_TCTI"]))
        let sealer = TPMSealer(TPMAccess.patient(tcti))
        let record = try #require(
            try Registry(directory: sandbox.directory + "/registry", authenticatorUID: getuid()).record(
                for: .user(getuid())))
        let vault = try OpenVault(directory: sandbox.directory + "/vaults", record: record, sealer: sealer)
        let pem = try SecretBytes(
            copying: Data(contentsOf: URL(fileURLWithPath: sandbox.directory + "/registry/signing-key.pem")))
        let authenticator = try P256.PrivateKey(pem: pem)
        let stranger = try P256.PrivateKey.generate()
        func open(_ key: P256.PrivateKey, as kind: AuthorizationKind) throws -> SecretBytes {
            try sealer.open(.recovery, vault.objects, record: record) { (request) throws(SigningRefusal) in
                let reference = PolicyReference(
                    vault: request.reference.vault, owner: request.reference.owner, kind: kind)
                guard
                    let other = SigningRequest(
                        nonce: request.nonce, parameterHash: request.parameterHash, reference: reference)
                else { throw SigningRefusal() }
                do { return try key.signature(for: other.message()) } catch { throw SigningRefusal() }
            }
        }
        #expect(throws: SealerError.self) { try open(stranger, as: .recovery) }
        for kind in [AuthorizationKind.unlock, .presence, .passcode] {
            #expect(throws: SealerError.self) { try open(authenticator, as: kind) }
        }
        // The right signature works. So the refusals above came from the TPM.
        let code = try RecoveryCode.random()
        _ = try vault.wrap(try open(authenticator, as: .recovery), under: code)
    }

    @Test func aCodeTakesThePersonEveryTimeAndIsInNoLog() throws {
        let sandbox = try furnished()
        #expect(try sandbox.coffer("unlock", password: Self.password).code == 0)
        #expect(try sandbox.coffer("recovery", "new", "--script").code == 4)
        #expect(try sandbox.coffer("recovery", "new", "--script", password: "wrong").code == 4)
        #expect(try sandbox.coffer("recovery", "new", password: Self.password).code == 64)
        let code = try sandbox.newRecoveryCode()
        let groups = code.split(separator: "-").map { Data($0.utf8) }
        try sandbox.script("stop-broker")
        let names = try #require(FileManager.default.enumerator(atPath: sandbox.directory)).compactMap { $0 as? String }
        for name in names {
            guard let bytes = FileManager.default.contents(atPath: "\(sandbox.directory)/\(name)") else { continue }
            for group in groups { #expect(bytes.range(of: group) == nil, "\(name)") }
        }
    }
}

extension Sandbox {
    /// Makes a code as a program does.
    func newRecoveryCode(confirming: Bool = true) throws -> String {
        let script = """
            coproc C { coffer recovery new --script; }
            read -r code <&"${C[0]}"; read -r part <&"${C[0]}"
            [ \(confirming ? 1 : 0) = 0 ] || cut -d- -f"$part" <<<"$code" >&"${C[1]}"
            input=${C[1]}; exec {input}>&-
            wait "$C_PID"; printf '%s %s' "$?" "$code"
            """
        var environment = ProcessInfo.processInfo.environment
        for (name, value) in variables { environment[name] = value }
        environment["COFFER_ASKPASS"] = try askpass("sandbox", name: "askpass-\(UUID().uuidString.prefix(8))")
        let outcome = try Command(
            program: "/bin/bash", arguments: ["-c", script], environment: environment, limit: patience
        ).run()
        let words = outcome.text.split(separator: " ").map(String.init)
        try #require(words.count == 2 && (words[0] == "0") == confirming, "\(outcome)")
        return words[1]
    }

    /// Somebody who uses the TPM directly.
    func tpm(_ tool: String, _ arguments: String...) throws {
        var environment = ProcessInfo.processInfo.environment
        environment["TPM2TOOLS_TCTI"] = variables["COFFER_SANDBOX_TCTI"]
        let outcome = try Command(
            program: "/usr/bin/env", arguments: [tool] + arguments, environment: environment, limit: patience
        ).run()
        try #require(outcome.code == 0, "\(outcome)")
    }

    /// A copy of the present vault's file, outside of the sandbox.
    func copyOfVault() throws -> String {
        let copy = "\(folder)/old-\(UUID().uuidString.prefix(8)).vault"
        try FileManager.default.copyItem(atPath: vaultFile(), toPath: copy)
        return copy
    }
}
