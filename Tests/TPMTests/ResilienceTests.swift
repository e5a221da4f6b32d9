import Cryptography
import Synchronization
import TestSupport
import Testing

@testable import TPM

struct ResilienceTests {
    @Test(.timeLimit(.minutes(30))) func aTPMThatHangsIsADeadlineAndLeavesNothing() throws {
        let rig = try Rig()
        let (object, expected) = try rig.seal(try .random(count: 32), .policyData(rig.policy))
        let recorder = CommandRecorder()
        let access = TPMAccess.patient(rig.tpm.configuration, deadline: .seconds(10), observer: recorder)
        try access.flushLeftovers()
        let attempt = code {
            let context = try access.open()
            let key = try context.storageKey(rig.storageKey)
            let verification = try context.loadVerificationKey(rig.policy)
            let session = try context.startPolicySession(saltedTo: key)
            #expect(session.handle != verification.handle)
            rig.tpm.hang()
            _ = try context.loadSealedData(object, expected, under: key)
        }
        #expect(attempt == .deadline)
        // One command without an answer, and not one more for each handle that could not be flushed.
        #expect(recorder.all.count { $0.answer == nil } == 1, "\(recorder.names)")
        rig.tpm.resume()
        // Key, session and the object whose handle never came back are still there. The next opening flushes them.
        #expect(try rig.tpm.leftovers().count == 3)
        _ = try access.open().describe()
        #expect(try rig.tpm.leftovers() == [])
    }

    @Test(.timeLimit(.minutes(30))) func aTPMThatHangsFromTheStartIsADeadline() throws {
        let rig = try Rig()
        rig.tpm.hang()
        // More than its listen queue holds. Connecting has a limit too, and leaves less time to the command.
        let hasty = TPMAccess(rig.tpm.configuration, deadline: .milliseconds(100))
        for _ in 0..<8 { #expect(code { _ = try hasty.open().describe() } == .deadline) }
        // Both together have one deadline.
        let access = TPMAccess(rig.tpm.configuration, deadline: .seconds(10))
        let started = ContinuousClock.now
        #expect(code { _ = try access.open().describe() } == .deadline)
        #expect(ContinuousClock.now - started < access.deadline * 2)
        rig.tpm.resume()
        #expect(try rig.access.open().describe().manufacturer == "IBM")
    }

    @Test(.timeLimit(.minutes(30))) func theDefaultDeadlineIsWithinTenSeconds() throws {
        let rig = try Rig()
        rig.tpm.hang()
        let access = TPMAccess(rig.tpm.configuration)
        #expect(access.deadline <= .seconds(10))
        #expect(code { _ = try access.open().describe() } == .deadline)
        #expect(TPMAccess(rig.tpm.configuration, deadline: .seconds(3600)).deadline == .seconds(10))
    }

    @Test func aDeadTPMIsUnavailable() throws {
        let rig = try Rig()
        try rig.tpm.stop()
        #expect(code { _ = try rig.access.open().describe() } == .unavailable)
        let nowhere = TPMAccess(.swtpm(path: rig.tpm.folder.path + "/nowhere"))
        #expect(code { _ = try nowhere.open().describe() } == .unavailable)
        #expect(code { _ = try TPMAccess(.device(path: "/dev/tpmrm-none")).open().describe() } == .unavailable)
        let long = TPMAccess(.swtpm(path: "/" + String(repeating: "x", count: 200)))
        #expect(code { _ = try long.open().describe() } == .unavailable)
    }

    @Test func aTPMThatDiesInTheMiddleIsUnavailable() throws {
        let rig = try Rig()
        let context = try rig.access.open()
        let key = try context.storageKey(rig.storageKey)
        let session = try context.startHMACSession(saltedTo: key)
        try rig.tpm.stop()
        #expect(
            code { _ = try context.seal(try .random(count: 8), .openData, under: key, session: session) }
                == .unavailable)
    }

    @Test func whatAKilledBrokerLeftIsFlushedAtTheStart() throws {
        let rig = try Rig()
        let tools = ["-T", rig.tpm.tools, "-Q"]
        try Tool.output("tpm2_createprimary", tools + ["-c", rig.tpm.folder.path + "/left.ctx"])
        try Tool.output("tpm2_startauthsession", ["-T", rig.tpm.tools, "-S", rig.tpm.folder.path + "/session.ctx"])
        #expect(try rig.tpm.leftovers().count == 2)
        let successor = TPMAccess(rig.tpm.configuration)
        try successor.flushLeftovers()
        #expect(try rig.tpm.leftovers() == [])
    }

    /// The TPM makes a session, and somebody on its bus says that it has not. Three such sessions fill it (attacker 6).
    @Test func whatAChangedAnswerHidesIsFlushed() throws {
        let rig = try Rig()
        let lies = Mutex(8)
        let tap = try WireTap(
            rig.tpm,
            answer: { command, answer in
                guard isCommand(.startAuthSession, command) else { return }
                lies.withLock { left in
                    guard left > 0 else { return }
                    left -= 1
                    // The TPM's own refusals and answers that TSS cannot read, in turn.
                    answer =
                        left.isMultiple(of: 2) ? [0x80, 0x01, 0, 0, 0, 10, 0, 0, 0, 0x84] : Array(answer.prefix(12))
                    answer[5] = UInt8(answer.count)
                }
            })
        let access = TPMAccess.patient(tap.configuration)
        func startSession() throws {
            let context = try access.open()
            _ = try context.startHMACSession(saltedTo: context.storageKey(rig.storageKey))
        }
        for _ in 0..<8 { #expect(code(startSession) == .other) }
        #expect(lies.withLock { $0 } == 0)
        try startSession()
        #expect(try rig.tpm.leftovers() == [])
    }

    @Test func runningOutOfObjectsIsSaidAndPasses() throws {
        let rig = try Rig()
        try holdKeys(rig, 0)
        #expect(try rig.tpm.leftovers() == [])
        _ = try rig.access.open().describe()
    }

    /// Loads keys until there is no slot left.
    private func holdKeys(_ rig: Rig, _ depth: Int) throws {
        #expect(depth < 16)
        let context = try rig.access.open()
        let attempt = code { try exhaust(context, rig, 0) }
        #expect(attempt == .exhausted)
    }

    private func exhaust(_ context: borrowing TPMContext, _ rig: Rig, _ depth: Int) throws {
        guard depth < 32 else { return }
        let held = try context.loadVerificationKey(rig.policy)
        try exhaust(context, rig, depth + 1)
        held.flush()
    }

    @Test func lockoutIsToldApartAndDoesNotTouchOurObjects() throws {
        let rig = try Rig()
        let secret = try SecretBytes.random(count: 32)
        let (object, expected) = try rig.seal(secret, .openData)
        let folder = rig.tpm.folder.path
        let tools = ["-T", rig.tpm.tools, "-Q"]
        // Somebody else's object under dictionary attack protection is tried with wrong passwords.
        try Tool.output("tpm2_dictionarylockout", ["-T", rig.tpm.tools, "-s", "-n", "1", "-t", "600", "-l", "600"])
        try Tool.output("tpm2_createprimary", tools + ["-C", "o", "-p", "right", "-c", folder + "/p.ctx"])
        try Tool.output("tpm2_evictcontrol", tools + ["-C", "o", "-c", folder + "/p.ctx", "0x81000005"])
        try Tool.output("tpm2_flushcontext", ["-T", rig.tpm.tools, "-t"])
        for _ in 0..<2 {
            _ = try Tool.run(
                "tpm2_create", tools + ["-C", "0x81000005", "-P", "wrong", "-u", folder + "/u", "-r", folder + "/r"])
        }
        // Their key in place of Coffer's, past the checks that would have refused it.
        let attempt = code {
            let context = try rig.access.open()
            let foreign = StorageKey(reference: try context.publicReference(0x8100_0005), identity: rig.storageKey)
            _ = try context.loadSealedData(object, expected, under: foreign)
        }
        #expect(attempt == .lockout)
        #expect(try rig.unsealOpen(object, expected) == secret)
    }
}
