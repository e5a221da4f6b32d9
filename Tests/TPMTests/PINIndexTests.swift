import Cryptography
import TestSupport
import Testing

@testable import TPM

/// The attacker reaches the TPM, knows the owner's (empty) password and has the files, but not the PIN.
struct PINIndexTests {
    private let wrong = [UInt8](repeating: 9, count: 32)

    @Test func thePINOpensInFewCommands() throws {
        let rig = try Rig()
        let bound = try BoundRig(rig: rig)
        #expect(
            rig.recorder.names.prefix(10) == [
                "TPM2_GetCapability", "TPM2_StartAuthSession", "TPM2_GetCapability", "TPM2_NV_DefineSpace",
                "TPM2_FlushContext", "TPM2_LoadExternal", "TPM2_StartAuthSession", "TPM2_PolicySigned",
                "TPM2_NV_Write", "TPM2_FlushContext",
            ])
        rig.recorder.reset()
        #expect(try bound.open() == bound.secret)
        #expect(rig.recorder.count == 10)
        #expect(try bound.tries() == PINTries(used: 0, limit: 3))
        #expect(try rig.tpm.leftovers() == [])
    }

    @Test func triesAreCountedUsedUpAndGivenBack() throws {
        let bound = try BoundRig()
        #expect(code { _ = try bound.open(wrong) } == .wrongPIN)
        #expect(code { _ = try bound.open(wrong) } == .wrongPIN)
        #expect(try bound.tries().left == 1)
        // The right one sets the count to zero.
        #expect(try bound.open() == bound.secret)
        #expect(try bound.tries() == PINTries(used: 0, limit: 3))
        for _ in 0..<3 { #expect(code { _ = try bound.open(wrong) } == .wrongPIN) }
        #expect(try bound.tries() == PINTries(used: 3, limit: 3))
        #expect(code { _ = try bound.open(wrong) } == .triesUsedUp)
        #expect(code { _ = try bound.open() } == .triesUsedUp)
        #expect(try bound.rig.tpm.leftovers() == [])
    }

    @Test func aGuessCountsWhateverTheCommand() throws {
        let bound = try BoundRig()
        let (tools, handle) = (["-T", bound.rig.tpm.tools], bound.index.handle.description)
        // Reading needs the same password, both as a plain password and in a session.
        #expect(try Tool.run("tpm2_nvread", tools + ["-C", handle, "-P", "guess", handle]).status != 0)
        #expect(try bound.tries().left == 2)
        #expect(try Tool.run("tpm2_nvcertify", tools + ["-C", "o", "-c", handle, "-p", "guess", handle]).status != 0)
        let session = bound.rig.tpm.folder.path + "/session"
        try Tool.output("tpm2_startauthsession", tools + ["--policy-session", "-S", session])
        #expect(try Tool.run("tpm2_policysecret", tools + ["-S", session, "-c", handle, "guess"]).status != 0)
        try Tool.output("tpm2_flushcontext", tools + [session])
        #expect(try bound.tries().left <= 1)
    }

    @Test func onesGuessesLockOutNobodyElse() throws {
        let mine = try BoundRig()
        let yours = try BoundRig(pin: [UInt8](repeating: 0x77, count: 32), rig: mine.rig)
        for _ in 0..<3 { #expect(code { _ = try mine.open(wrong) } == .wrongPIN) }
        #expect(code { _ = try mine.open() } == .triesUsedUp)
        #expect(try yours.tries() == PINTries(used: 0, limit: 3))
        #expect(try yours.open([UInt8](repeating: 0x77, count: 32)) == yours.secret)
        // The TPM's own count of failures is a different one.
        let variables = try Tool.output("tpm2_getcap", ["-T", mine.rig.tpm.tools, "properties-variable"])
        #expect(variables.contains("TPM2_PT_LOCKOUT_COUNTER: 0x0"))
    }

    @Test func theRestartOfTheTPMGivesNoTriesBack() throws {
        let bound = try BoundRig()
        for _ in 0..<2 { #expect(code { _ = try bound.open(wrong) } == .wrongPIN) }
        // Without an orderly shutdown, as in a power cut.
        try Tool.output("swtpm_ioctl", ["--unix", bound.rig.tpm.socket + ".ctrl", "-i"])
        try Tool.output("tpm2_startup", ["-T", bound.rig.tpm.tools, "-c"])
        #expect(try bound.tries().left == 1)
        // The reset of the TPM's own lockout does not help either.
        try Tool.output("tpm2_dictionarylockout", ["-T", bound.rig.tpm.tools, "-c"])
        #expect(try bound.tries().left == 1)
    }

    @Test func aRedefinedIndexCannotBeWrittenAndOpensNothing() throws {
        let bound = try BoundRig()
        for _ in 0..<3 { _ = code { _ = try bound.open(wrong) } }
        let (tools, handle) = (["-T", bound.rig.tpm.tools], bound.index.handle.description)
        try redefine(bound, pin: "guessed")
        // The same public area except for `written`. So it has another Name, which no sealed object knows.
        #expect(code { _ = try bound.open(Array("guessed".utf8)) } == .indexReplaced)
        // Nobody writes it. The owner may not, its password may not, and the key for its policy is gone.
        let content = bound.rig.tpm.folder.path + "/content"
        try Tool.output("sh", ["-c", "printf '\\0\\0\\0\\0\\0\\0\\0\\377' > \(content)"])
        for arguments in [["-C", "o"], ["-C", handle, "-P", "guessed"]] {
            let result = try Tool.run("tpm2_nvwrite", tools + arguments + ["-i", content, handle])
            #expect(result.status != 0)
        }
        let forged = code {
            let context = try bound.rig.access.open()
            let index = try context.unwritten(bound.index)
            let key = try context.storageKey(bound.rig.storageKey)
            try OneTimeWriter().write([0, 0, 0, 0, 0, 0, 0, 255], to: index, context, under: key)
        }
        #expect(forged == .policyRefused)
        // Behind the check of the Name, the TPM itself refuses an index that was never written.
        #expect(code { try authorizeUnchecked(bound, pin: Array("guessed".utf8)) } != nil)
        #expect(try bound.rig.tpm.leftovers() == [])
    }

    @Test func anIndexCannotBeDefinedAsWritten() throws {
        let bound = try BoundRig()
        try bound.rig.access.open().undefine(bound.index)
        #expect(try bound.rig.access.open().defineRaw(bound.index.area.written) != 0)
        #expect(code { _ = try bound.open() } == .indexReplaced)
    }

    @Test func anIndexOfAnotherWriterDoesNotOpen() throws {
        let bound = try BoundRig()
        try bound.rig.access.open().undefine(bound.index)
        // Made the same way at the same handle, with the attacker's own PIN. It has another write key, so another Name.
        let other = try BoundRig(pin: wrong, rig: bound.rig)
        #expect(other.index.handle == bound.index.handle)
        #expect(other.index != bound.index)
        #expect(code { _ = try bound.open(wrong) } == .indexReplaced)
        // The TPM gives the same answer to a program that does not check the Name first.
        let attempt = code {
            let context = try bound.rig.access.open()
            let key = try context.storageKey(bound.rig.storageKey)
            let index = try context.index(other.index)
            let verification = try context.loadVerificationKey(bound.rig.policy)
            let session = try context.startPolicySession(saltedTo: key)
            let hash = try CommandParameterHash.unseal(name: bound.expected.name)
            try session.authorize(
                bound.rig.policy, by: verification, parameterHash: hash,
                signature: bound.rig.sign(session.nonce(), hash))
            verification.flush()
            try session.authorize(
                pin: SecretBytes(copying: wrong), of: index, parameterHash: hash,
                context.startHMACSession(saltedTo: key))
            _ = try context.loadSealedData(bound.object, bound.expected, under: key).unseal(session)
        }
        #expect(attempt == .policyRefused)
        #expect(try bound.rig.tpm.leftovers() == [])
    }

    @Test func thePINWithoutTheSignatureDoesNotOpen() throws {
        let bound = try BoundRig()
        let attempt = code {
            let context = try bound.rig.access.open()
            let key = try context.storageKey(bound.rig.storageKey)
            let session = try context.startPolicySession(saltedTo: key)
            let hash = try CommandParameterHash.unseal(name: bound.expected.name)
            try session.authorize(
                pin: SecretBytes(copying: BoundRig.pin), of: context.index(bound.index), parameterHash: hash,
                context.startHMACSession(saltedTo: key))
            _ = try context.loadSealedData(bound.object, bound.expected, under: key).unseal(session)
        }
        #expect(attempt == .policyRefused)
        // And the signature without the PIN.
        #expect(
            code { _ = try bound.rig.unseal(bound.object, bound.expected) { try bound.rig.sign($0, $1) } }
                == .policyRefused)
    }

    @Test func thePINIsGoodForOneObjectOnly() throws {
        let bound = try BoundRig()
        let other = try CommandParameterHash.unseal(name: [0, 11] + [UInt8](repeating: 1, count: 32))
        #expect(code { _ = try bound.open(hash: other) } == .policyRefused)
        #expect(code { _ = try bound.open(hash: []) } == .policyRefused)
    }

    @Test func thePINNeverTravels() throws {
        let rig = try Rig()
        let bound = try BoundRig(rig: rig)
        _ = try bound.open()
        _ = code { _ = try bound.open([UInt8](0x81..<0xA1)) }
        for part in [0..<8, 8..<16, 24..<32] { #expect(!rig.recorder.contains([UInt8](BoundRig.pin[part]))) }
        #expect(!rig.recorder.contains([UInt8](0x85..<0x8D)))
        let secret = bound.secret.withBytes { span in (8..<24).map { span[$0] } }
        #expect(!rig.recorder.contains(secret))
        // The PIN is proved in a session salted to the storage key. So nobody can test guesses against a recording.
        let starts = rig.recorder.all.filter { $0.code == .startAuthSession }
        #expect(starts.allSatisfy { $0.command[10..<14].elementsEqual([0x81, 0x00, 0x00, 0x02]) })
        // The recorder does see what travels in clear.
        #expect(rig.recorder.contains(bound.index.policy))
    }

    @Test func aPINThatEndsInZerosOpens() throws {
        for zeros in [1, 2, 31] {
            let pin = [UInt8](repeating: 3, count: 32 - zeros) + [UInt8](repeating: 0, count: zeros)
            let bound = try BoundRig(pin: pin)
            #expect(try bound.open(pin) == bound.secret)
        }
    }

    @Test func whereThereIsNoSuchIndexNothingIsMade() throws {
        let rig = try Rig()
        // A TPM that claims revision 1.16.
        let old = try WireTap(
            rig.tpm,
            answer: { command, answer in
                if isCommand(.getCapability, command), answer.count == 27 { answer[26] = 116 }
            })
        #expect(code { try definePIN(rig, old) } == .unsupported)
        // A TPM that claims nothing of the kind, but refuses the type.
        let stubborn = try WireTap(
            rig.tpm,
            answer: { command, answer in
                if isCommand(.nvDefineSpace, command) { answer = [0x80, 0x01, 0, 0, 0, 10, 0, 0, 2, 0xC2] }
            })
        #expect(code { try definePIN(rig, stubborn) } == .unsupported)
    }

    @Test func anIndexThatCouldNotBeWrittenDoesNotStay() throws {
        let rig = try Rig()
        let tap = try WireTap(
            rig.tpm,
            command: { command, bytes in
                if isCommand(.nvWrite, command) { bytes[bytes.count - 1] ^= 1 }
            })
        #expect(code { try definePIN(rig, tap) } != nil)
        #expect(try Tool.output("tpm2_getcap", ["-T", rig.tpm.tools, "handles-nv-index"]).isEmpty)
        #expect(try rig.tpm.leftovers() == [])
    }

    private func definePIN(_ rig: Rig, _ tap: WireTap) throws {
        // The test does not search for leftovers, because the tap serves one connection.
        let context = try TPMAccess.patient(tap.configuration).open()
        _ = try context.definePINIndex(
            pin: SecretBytes(copying: BoundRig.pin), tries: 3, under: context.storageKey(rig.storageKey))
    }

    /// The same handle and the same public area, with the attacker's own PIN.
    private func redefine(_ bound: BoundRig, pin: String) throws {
        let handle = bound.index.handle.description
        try Tool.output("tpm2_nvundefine", ["-T", bound.rig.tpm.tools, "-Q", "-C", "o", handle])
        let context = try bound.rig.access.open()
        #expect(try context.defineRaw(bound.index.area, password: Array(pin.utf8)) == 0)
        var reader = MarshalledReader(try context.engine.channel.exchange(.nvReadPublic, bound.index.handle.bytes))
        #expect(try NVPublicArea(body: reader.sized()) == bound.index.area)
    }

    private func authorizeUnchecked(_ bound: BoundRig, pin: [UInt8]) throws {
        let context = try bound.rig.access.open()
        let key = try context.storageKey(bound.rig.storageKey)
        let session = try context.startPolicySession(saltedTo: key)
        let hash = try CommandParameterHash.unseal(name: bound.expected.name)
        try session.authorize(
            pin: SecretBytes(copying: pin), of: context.unwritten(bound.index), parameterHash: hash,
            context.startHMACSession(saltedTo: key))
    }
}
