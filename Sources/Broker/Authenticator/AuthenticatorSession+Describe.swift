import Authorization
import BrokerProtocol
import Circle
import Cryptography
import Platform
import Varlink

extension AuthenticatorSession {
    /// Describes a challenge. The challenge must belong to the process that the authenticator names, and it is
    /// described only once.
    func describe(_ method: BrokerInterface.Describe) async throws(Fault) -> MethodAnswer {
        guard let uid = UInt32(exactly: method.uid), let pid = Int32(exactly: method.pid),
            let start = UInt64(exactly: method.startTime)
        else {
            throw Fault(.brokerInvalidArgument, "these numbers name no process")
        }
        guard (method.program ?? "").utf8.count <= LogLimits.program else {
            throw Fault(.brokerInvalidArgument, "the program's path is too long")
        }
        let challenge: Challenge
        do throws(ChallengeRefusal) {
            challenge = try core.challenges.describe(
                method.challenge, uid: uid, process: ProcessIdentity(pid: pid, startTime: start),
                program: method.program, connection: caller.connection)
        } catch {
            throw Self.refusal
        }
        let request = challenge.request
        var enrolment: [String]?
        var items: [BrokerInterface.NamedItem]?
        var newName: Challenge.Name?
        var terms: BrokerInterface.LeaseTerms?
        var circle: CirclePlan?
        var machines: [String]?
        var joined: StatementName?
        switch request {
        case .use(let use, _): newName = use.deed.newName ?? use.subject.presentName
        case .enrolment(let kinds): enrolment = kinds.map(\.rawValue)
        case .rotate(let rotation):
            items = rotation.items.map(\.named)
            joined = rotation.circle
            machines = rotation.circle.map { _ in rotation.machines.map(\.text) }
        case .readAll(let read, _):
            items = read.items.map(\.named)
        case .lease(let read, let wanted):
            items = read.items.map(\.named)
            terms = BrokerInterface.LeaseTerms(seconds: Int64(wanted.seconds), command: wanted.command)
        case .circle(let plan):
            circle = plan
            machines = plan.machines.map { $0.map(\.text) }
        case .release(let read, let receivers):
            items = read.items.map(\.named)
            machines = receivers.names.map(\.text)
        case .vault, .login, .tieToBoot: break
        }
        if case .join(let answer, _, _)? = circle?.deed { joined = answer.circle }
        // The broker may wait for it, so it comes before the time of the last lock.
        let passwordKey = try await passwordKey(for: challenge)
        // The challenge is described already, so a lock from now on drops it.
        let isScreenLocked = await isScreenLocked(for: challenge)
        return .reply(
            BrokerInterface.Describe.Reply(
                owner: challenge.owner.text, vault: challenge.vault?.hex, purposes: request.purposes,
                service: request.subject?.service, account: request.subject?.account,
                kind: request.subject?.named.kind,
                version: request.subject.flatMap { $0.isFormer ? Int64(clamping: $0.version) : nil },
                fields: request.subject?.named.fields,
                reason: challenge.reason, authorizations: challenge.choice.wire,
                alternatives: challenge.choice.alternatives.map { $0.map(Int64.init) },
                lastLock: max(
                    core.vaultStore.lockTimes.last(of: .user(challenge.uid)),
                    core.vaultStore.lockTimes.last(of: challenge.owner)),
                enrolment: enrolment, items: items, lease: terms, leased: core.leases.covers(challenge) ? true : nil,
                newService: newName?.service, newAccount: newName?.account,
                passwordKey: passwordKey,
                statement: circle?.statement.map { Base64.encode($0.bytes) },
                signer: circle?.signer.map { Base64.encode($0.bytes) },
                request: circle?.request.map { Base64.encode($0.bytes) },
                evidence: circle?.evidence.map { Base64.encode($0.bytes) },
                circle: joined.map { Hex.encode($0.bytes) }, machines: machines, screenLocked: isScreenLocked))
    }

    /// Whether a finger on the reader may be meant for a lock screen.
    /// - Returns: nil if the broker cannot tell, or if no finger can be among the answers.
    private func isScreenLocked(for challenge: Challenge) async -> Bool? {
        guard challenge.choice.authorizations.contains(where: \.kind.isBiometric) else { return nil }
        switch await core.locks.screen(of: challenge.uid) {
        case .open: return false
        case .unknown: return nil
        // The lock closed the vault. Somebody who has opened it since is back, and some lockers never tell logind so.
        case .locked: return !core.vaultStore.vaultActor(of: .user(challenge.uid)).held.isUnlocked
        }
    }

    /// - Returns: nil unless the vault is bound, and open soon.
    private func passwordKey(for challenge: Challenge) async throws(Fault) -> String? {
        guard challenge.vault != nil, challenge.choice.authorizations.contains(where: { $0.role == .unlockRoot }) else {
            return nil
        }
        let vaultActor = core.vaultStore.vaultActor(of: challenge.owner)
        // Without the key, the first conversation of a run could not tell which passwords were tried before.
        if await vaultActor.isBoundAndClosed {
            await TimeLimit.wait(SealerLimits.describing) {
                // `try?`: if the vault cannot be used, the next step says why.
                _ = try? await vaultActor.opened()
            }
        }
        do throws(Fault) { return try await vaultActor.passwordKey()?.base64Encoded() } catch {
            // Nobody is asked in vain. Most damage has ended the challenge, so no further step could say it.
            guard error.name != .damaged else { throw error }
            return nil
        }
    }

    /// The other requests of the same process that wait for an answer, so that one prompt can show all of them. The
    /// reply names their challenges only by digest.
    func companions(_ method: BrokerInterface.Companions) throws(Fault) -> MethodAnswer {
        let found = core.challenges.companions(of: try permitted(.companions, method.challenge))
        var companions: [BrokerInterface.Companion] = []
        for challenge in found {
            let digest: [UInt8]
            do throws(CryptographyError) { digest = try SHA256.digest(Array(challenge.id.utf8)) } catch {
                throw Fault(.brokerFailed, "the challenge cannot be digested: \(error.reason)")
            }
            companions.append(
                BrokerInterface.Companion(
                    digest: Hex.encode(digest), service: challenge.request.subject?.service,
                    account: challenge.request.subject?.account,
                    kind: challenge.request.subject?.named.kind, fields: challenge.request.subject?.named.fields,
                    reason: challenge.reason))
        }
        return .reply(BrokerInterface.Companions.Reply(companions: companions))
    }
}

extension Challenge.Subject {
    /// The item as a prompt names it.
    fileprivate var named: BrokerInterface.NamedItem {
        BrokerInterface.NamedItem(
            service: service, account: account, kind: kind == .genericPassword ? nil : kind,
            fields: fields == [.secret] ? nil : fields.map(\.text))
    }
}

extension SealerLimits {
    /// How long a description of a challenge waits until a bound vault is open. It is less than the authenticator's
    /// patience (`BrokerLimits.call`).
    static let describing = Duration.seconds(5)
}
