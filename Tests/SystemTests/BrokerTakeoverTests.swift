import Authorization
import Cryptography
import Foundation
import TPM
import TestSupport
import Testing
import Vault

/// Attacker 9: everything that the broker has (its uid, files and TPM), but not the authenticator.
@Suite struct BrokerTakeoverTests {
    /// What a taken-over broker can reach.
    private struct Loot {
        let sandbox: Sandbox
        let record: RegistryRecord
        let sealer: TPMSealer
        let vault: OpenVault
        let item: ItemSummary
        let point: [UInt8]

        init() throws {
            sandbox = try Sandbox()
            let stored = try sandbox.coffer("set", "s", "gated", "--require", "presence", input: Array("secret".utf8))
            try #require(stored.code == 0, "\(stored)")
            try sandbox.script("stop-broker")
            let tcti = try TCTIConfiguration(parsing: try #require(sandbox.variables["COFFER_SANDBOX_TCTI"]))
            sealer = TPMSealer(TPMAccess.patient(tcti))
            record = try #require(
                try Registry(directory: sandbox.directory + "/registry", authenticatorUID: getuid()).record(
                    for: .user(getuid())))
            vault = try OpenVault(directory: sandbox.directory + "/vaults", record: record, sealer: sealer)
            item = try vault.find(service: "s", account: "gated")
            point = try #require(try vault.readPlan(for: item).alternatives[0].agreements.first).point
        }

        func unlock(_ sign: (SigningRequest) throws(SigningRefusal) -> [UInt8]) throws -> SecretBytes {
            try sealer.open(.unlockRoot, vault.objects, record: record, sign: sign)
        }

        func agree(_ sign: (SigningRequest) throws(SigningRefusal) -> [UInt8]) throws -> SecretBytes {
            try sealer.agree(.presence, point: point, vault.objects, record: record, sign: sign)
        }
    }

    private static func signer(_ key: P256.PrivateKey) -> (SigningRequest) throws(SigningRefusal) -> [UInt8] {
        { request throws(SigningRefusal) in
            do { return try key.signature(for: request.message()) } catch { throw SigningRefusal() }
        }
    }

    @Test func withoutTheAuthenticatorsSignatureNothingOpens() throws {
        let loot = try Loot()
        let own = Self.signer(try P256.PrivateKey.generate())
        let nothing = { (_: SigningRequest) throws(SigningRefusal) -> [UInt8] in [UInt8](repeating: 0, count: 64) }
        for sign in [own, nothing] {
            #expect(throws: SealerError.self) { try loot.unlock(sign) }
            #expect(throws: SealerError.self) { try loot.agree(sign) }
        }
        // A forged record names the attacker's key. Then the objects are not those that the record needs.
        let key = try P256.PrivateKey.generate()
        let forged = RegistryRecord(
            vault: loot.record.vault, owner: loot.record.owner, ownerName: loot.record.ownerName,
            created: loot.record.created,
            sealer: .tpm, authenticatorKey: key.publicKey, storageKey: loot.record.storageKey,
            objects: loot.record.objects)
        #expect(throws: SealerError.self) {
            try loot.sealer.open(.unlockRoot, loot.vault.objects, record: forged, sign: Self.signer(key))
        }
        // The same steps with the authenticator's key, which only root has, do open it. So the refusals above came from
        // the TPM.
        let pem = try SecretBytes(
            copying: Data(contentsOf: URL(fileURLWithPath: loot.sandbox.directory + "/registry/signing-key.pem")))
        let authenticator = Self.signer(try P256.PrivateKey(pem: pem))
        let classKeys = try loot.vault.classKeys(unlockRoot: loot.unlock(authenticator))
        let value = try loot.vault.value(
            of: loot.item, classKeys: classKeys, agreements: [loot.point: loot.agree(authenticator)])
        #expect(value == (try SecretBytes(copying: Array("secret".utf8))))
        try loot.sandbox.expectTPMEmpty()
    }

    @Test func aSignatureForOneUseIsGoodForNoOther() throws {
        let loot = try Loot()
        let pem = try SecretBytes(
            copying: Data(contentsOf: URL(fileURLWithPath: loot.sandbox.directory + "/registry/signing-key.pem")))
        let key = try P256.PrivateKey(pem: pem)
        // Signatures that the authenticator might be brought to give for something else.
        let otherHash = { (request: SigningRequest) throws(SigningRefusal) -> [UInt8] in
            let other = SigningRequest(
                nonce: request.nonce, parameterHash: [UInt8](repeating: 7, count: 32), reference: request.reference)
            guard let other else { throw SigningRefusal() }
            return try Self.signer(key)(other)
        }
        let staleNonce = { (request: SigningRequest) throws(SigningRefusal) -> [UInt8] in
            let other = SigningRequest(
                nonce: [UInt8](repeating: 7, count: 32), parameterHash: request.parameterHash,
                reference: request.reference)
            guard let other else { throw SigningRefusal() }
            return try Self.signer(key)(other)
        }
        let otherKind = { (request: SigningRequest) throws(SigningRefusal) -> [UInt8] in
            let kind: AuthorizationKind = request.reference.kind == .unlock ? .presence : .unlock
            let other = SigningRequest(
                nonce: request.nonce, parameterHash: request.parameterHash,
                reference: PolicyReference(vault: request.reference.vault, owner: request.reference.owner, kind: kind))
            guard let other else { throw SigningRefusal() }
            return try Self.signer(key)(other)
        }
        for sign in [otherHash, staleNonce, otherKind] {
            #expect(throws: SealerError.self) { try loot.unlock(sign) }
            #expect(throws: SealerError.self) { try loot.agree(sign) }
        }
        try loot.sandbox.expectTPMEmpty()
    }

    /// The same with another program that has all that the broker has, and as root more: tpm2-tools, which knows
    /// nothing of Coffer's rules.
    @Test func anotherProgramWithTheFilesAndTheTPMIsRefusedByTheTPM() throws {
        let loot = try Loot()
        let folder = loot.sandbox.folder
        let object = try #require(loot.vault.objects[.unlockRoot])
        try Data(object.public).write(to: URL(fileURLWithPath: "\(folder)/unlock.pub"))
        try Data(object.private).write(to: URL(fileURLWithPath: "\(folder)/unlock.priv"))
        // The device root in tpm2-tools' form of a credential: a number, a version, and the two structures.
        let root = try #require(loot.vault.objects[.deviceRoot])
        try Data([0xBA, 0xDC, 0xC0, 0xDE, 0, 0, 0, 1] + root.private + root.public)
            .write(to: URL(fileURLWithPath: "\(folder)/root"))
        let handle = "0x" + String(try #require(loot.record.storageKey).handle, radix: 16)
        let script = """
            opened() { [ "$1" = 0 ] && [ "$(wc -c <"$2")" = 32 ] && echo opened || echo refused; }
            unseal() {
                tpm2_load -C \(handle) -u "$1.pub" -r "$1.priv" -c "$1.ctx" >/dev/null || { echo "does not load"; exit 9; }
                tpm2_unseal -c "$1.ctx" >"$1.out" 2>"$1.err"; code=$?
                tpm2_flushcontext -t
                opened "$code" "$1.out"
            }
            cd "$1" || exit 9
            tpm2_activatecredential -c \(handle) -C \(handle) -i root -o root.out >/dev/null 2>&1; opened $? root.out
            head -c 32 /dev/urandom | tpm2_create -Q -C \(handle) -i - -u own.pub -r own.priv || exit 9
            unseal own
            unseal unlock
            """
        var environment = ProcessInfo.processInfo.environment
        environment["TPM2TOOLS_TCTI"] = loot.sandbox.variables["COFFER_SANDBOX_TCTI"]
        let attempt = try Command(
            program: "/bin/sh", arguments: ["-c", script, "sh", folder], environment: environment
        ).run()
        // The device root needs no person, and neither does an object of the attacker. So the attempts are made
        // correctly.
        #expect(attempt.text == "opened\nopened\nrefused\n")
    }
}
