import Cryptography
import Synchronization
import TestSupport
import Testing

@testable import TPM

/// The attacker starts another system on the machine and is root there, reaches the TPM and knows the owner's (empty)
/// password.
struct MeasuredBootTests {
    private let other = [UInt8](repeating: 0xEE, count: 32)

    @Test func anApprovedBootOpensInFewCommands() throws {
        let boot = try BootRig()
        #expect(boot.rig.recorder.names.prefix(9).filter { $0 == "TPM2_NV_DefineSpace" }.count == 1)
        boot.rig.recorder.reset()
        #expect(try boot.open(boot.boots) == boot.secret)
        #expect(boot.rig.recorder.count == 10)
        #expect(try boot.rig.access.open().approves(boot.boots, in: boot.index))
        #expect(try boot.rig.tpm.leftovers() == [])
    }

    @Test func anotherBootDoesNotOpen() throws {
        let boot = try BootRig()
        try boot.measure(7, other)
        #expect(code { _ = try boot.open(boot.boots) } == .bootChanged)
        // The attacker can write the list, but not what the TPM approves.
        let theirs = try ApprovedBoots([boot.now()])
        #expect(code { _ = try boot.open(theirs) } == .policyRefused)
        let both = try ApprovedBoots([boot.boots.alternatives[0], boot.now()])
        #expect(code { _ = try boot.open(both) } == .policyRefused)
        // Registers that are not selected do not matter.
        try boot.restart()
        try boot.measure(9, other)
        #expect(try boot.open(boot.boots) == boot.secret)
        #expect(try boot.rig.tpm.leftovers() == [])
    }

    @Test func anUpdateIsApprovedBeforeItHappensAndTheOldOneRevokedAfterIt() throws {
        let boot = try BootRig()
        let (digest, before) = (try SHA256.digest(Array("kernel 2".utf8)), try boot.now())
        var values = try boot.rig.access.open().measurements(boot.selection)
        values[4] = try SHA256.digest(#require(values[4]) + digest)
        let after = try PCRState(selection: boot.selection, values: values)
        let both = try ApprovedBoots([before, after])
        boot.rig.recorder.reset()
        try boot.approve(both)
        #expect(boot.rig.recorder.count == 6)
        #expect(try boot.open(both) == boot.secret)
        try boot.measure(4, digest)
        #expect(try boot.now() == after)
        #expect(try boot.open(both) == boot.secret)
        try boot.approve(ApprovedBoots([after]))
        #expect(try boot.open(ApprovedBoots([after])) == boot.secret)
        // The machine starts with the old kernel. The former approval no longer counts, in any form.
        try boot.restart()
        #expect(try boot.now() == before)
        #expect(code { _ = try boot.open(boot.boots) } == .policyRefused)
        #expect(code { _ = try boot.open(both) } == .policyRefused)
        #expect(code { _ = try boot.open(ApprovedBoots([after])) } == .bootChanged)
        #expect(try boot.rig.tpm.leftovers() == [])
    }

    @Test func aRedefinedIndexCannotBeWrittenAndApprovesNothing() throws {
        let boot = try BootRig()
        try boot.measure(7, other)
        let theirs = try ApprovedBoots([boot.now()])
        let (tools, handle) = (["-T", boot.rig.tpm.tools], boot.index.handle.description)
        let (policy, content) = (boot.rig.tpm.folder.path + "/policy", boot.rig.tpm.folder.path + "/content")
        try file(policy, boot.index.policy)
        try file(content, theirs.content())
        try Tool.output("tpm2_nvundefine", tools + ["-Q", "-C", "o", handle])
        #expect(try boot.rig.access.open().defineRaw(boot.index.area) == 0)
        #expect(code { _ = try boot.open(theirs) } == .indexReplaced)
        for arguments in [["-C", "o"], ["-C", handle]] {
            #expect(try Tool.run("tpm2_nvwrite", tools + arguments + ["-i", content, handle]).status != 0)
        }
        let forged = code {
            let context = try boot.rig.access.open()
            let key = try context.storageKey(boot.rig.storageKey)
            try OneTimeWriter().write(theirs.content(), to: context.unwritten(boot.index), context, under: key)
        }
        #expect(forged == .policyRefused)
        // With rights for the owner it can be written, but it is then another index, both to Coffer and to the TPM.
        try Tool.output("tpm2_nvundefine", tools + ["-Q", "-C", "o", handle])
        try Tool.output(
            "tpm2_nvdefine",
            tools + ["-Q", "-C", "o", "-s", "34", "-a", "ownerwrite|policywrite|authread|no_da", "-L", policy, handle])
        try Tool.output("tpm2_nvwrite", tools + ["-Q", "-C", "o", "-i", content, handle])
        #expect(code { _ = try boot.open(theirs) } == .indexReplaced)
        #expect(code { try openUnchecked(boot, theirs) } == .policyRefused)
        #expect(try boot.rig.tpm.leftovers() == [])
    }

    @Test func anApprovalCannotBeReplayedOrChangedOnItsWay() throws {
        let boot = try BootRig()
        let first = try boot.now()
        let kept = Mutex<[UInt8]>([])
        let key = boot.approver
        try boot.approve(boot.boots) { (message) throws(TPMError) in
            let signature = try BootRig.sign(message, key)
            kept.withLock { $0 = signature }
            return signature
        }
        try boot.measure(7, other)
        let second = try ApprovedBoots([boot.now()])
        try boot.approve(second)
        let replay = code { try boot.approve(ApprovedBoots([first])) { (_) throws(TPMError) in kept.withLock { $0 } } }
        #expect(replay == .policyRefused)
        let tap = try WireTap(
            boot.rig.tpm,
            command: { command, bytes in
                if isCommand(.nvWrite, command) { bytes[bytes.count - 4] ^= 1 }
            })
        #expect(code { try boot.approve(boot.boots, TPMAccess.patient(tap.configuration)) } == .policyRefused)
        #expect(try boot.rig.access.open().approves(second, in: boot.index))
        // A signature by another key.
        let stranger = try P256.PrivateKey.generate()
        #expect(
            code { try boot.approve(boot.boots) { (message) throws(TPMError) in try BootRig.sign(message, stranger) } }
                == .policyRefused)
    }

    @Test func theApprovingKeyIsItselfBehindTheApprovedBoot() throws {
        let boot = try BootRig()
        let policy = Policy(.approved(boot.index), .signed(boot.rig.policy))
        let (object, expected) = try boot.rig.seal(boot.approver.rawRepresentation, .guardedData(policy))
        func unsealed() throws -> SecretBytes {
            let context = try boot.rig.access.open()
            let key = try context.storageKey(boot.rig.storageKey)
            let session = try context.startPolicySession(saltedTo: key)
            try session.approve(boot.boots, by: context.index(boot.index))
            let verification = try context.loadVerificationKey(boot.rig.policy)
            let hash = try CommandParameterHash.unseal(name: expected.name)
            try session.authorize(
                boot.rig.policy, by: verification, parameterHash: hash,
                signature: boot.rig.sign(session.nonce(), hash))
            verification.flush()
            return try context.loadSealedData(object, expected, under: key).unseal(session)
        }
        #expect(try unsealed() == boot.approver.rawRepresentation)
        let scalar = boot.approver.rawRepresentation.withBytes { span in span.indices.map { span[$0] } }
        for part in [0..<8, 8..<16, 24..<32] { #expect(!boot.rig.recorder.contains([UInt8](scalar[part]))) }
        try boot.measure(7, other)
        #expect(code { _ = try unsealed() } == .bootChanged)
    }

    @Test func aChangeOfTheRegistersEndsASession() throws {
        let boot = try BootRig()
        let policy = Policy(.measured(boot.boots.alternatives[0]))
        var steps = 0
        let attempt = code {
            let context = try boot.rig.access.open()
            let key = try context.storageKey(boot.rig.storageKey)
            let (object, expected) = try boot.rig.sealHere(context, key, policy)
            let session = try context.startPolicySession(saltedTo: key)
            try session.measure(boot.boots.alternatives[0])
            try context.extend(7, other)
            steps = 1
            _ = try context.loadSealedData(object, expected, under: key).unseal(session)
        }
        #expect(steps == 1)
        #expect(attempt == .policyRefused)
    }

    private func openUnchecked(_ boot: BootRig, _ boots: ApprovedBoots) throws {
        let context = try boot.rig.access.open()
        let key = try context.storageKey(boot.rig.storageKey)
        let session = try context.startPolicySession(saltedTo: key)
        try session.approve(boots, by: context.unwritten(boot.index))
        let verification = try context.loadVerificationKey(boot.rig.policy)
        let hash = try CommandParameterHash.unseal(name: boot.expected.name)
        try session.authorize(
            boot.rig.policy, by: verification, parameterHash: hash, signature: boot.rig.sign(session.nonce(), hash))
        verification.flush()
        _ = try context.loadSealedData(boot.object, boot.expected, under: key).unseal(session)
    }

    private func file(_ path: String, _ bytes: [UInt8]) throws {
        let text = bytes.map { "\\" + String($0, radix: 8) }.joined()
        try Tool.output("sh", ["-c", "printf '\(text)' > \(path)"])
    }
}
