import Authorization
import BrokerProtocol
import Circle
import Coffer
import Cryptography
import FoundationEssentials
import Platform

/// Lets machines in that root has invited. Nobody is asked: root has said beforehand who may come.
struct GuestAdmission {
    let session: CommandSession
    let sharing: Sharing
    let folder: InvitationFolder
    /// Files that none of the invited machines has written. Who keeps the store can put anything there.
    private var strange: Set<StorePath> = []
    /// What kept a machine out, told once.
    private var told: [StorePath: String] = [:]
    /// Whether this look has taken in who was removed.
    private var knowsRemovals = false

    init(_ session: CommandSession, _ sharing: Sharing) {
        (self.session, self.sharing, folder) = (session, sharing, InvitationFolder(session))
    }

    /// The invitations that let somebody in, by their names.
    func open() throws(KeychainError) -> [(name: String, invitation: IssuedInvitation)] {
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        return try folder.all(of: sharing.circle).filter { now < $0.invitation.until }
    }

    /// Looks once, and lets in who may come.
    /// - Returns: how many machines came.
    mutating func look() throws -> Int {
        let invitations = try open()
        var keys: [InvitationPlace: (name: String, invitation: IssuedInvitation, key: InvitationKey)] = [:]
        for (name, invitation) in invitations {
            guard let key = invitation.publicKey else { continue }
            do { keys[try key.place] = (name, invitation, key) } catch { throw Sharing.misunderstood("\(error)") }
        }
        guard !keys.isEmpty else { return 0 }
        var (came, left) = (0, InvitationLimits.strange)
        knowsRemovals = false
        let paths = try sharing.folder.knocks(of: sharing.circle)
        // What has gone is forgotten, or somebody who changes names all the time would fill memory.
        strange.formIntersection(paths)
        told = told.filter { paths.contains($0.key) }
        for path in paths.sorted(by: { $0.text < $1.text }) {
            guard case .knock(_, let place, _) = path, let found = keys[place], !strange.contains(path), left > 0 else {
                continue
            }
            do {
                guard let knock = try knock(path, found.key) else {
                    strange.insert(path)
                    left -= 1
                    continue
                }
                if try admit(knock, path, found.invitation, by: found.name, found.key) { came += 1 }
                told[path] = nil
            } catch let error as KeychainError { tell(path, error.message, error.advice) } catch {
                // Otherwise it is the store itself, and nobody else comes in now either.
                guard let failure = error as? CommandFailure, failure.isAboutOneFile else { throw error }
                tell(path, failure.message, failure.advice)
            }
        }
        if came > 0 { _ = try sharing.exchange() }
        return came
    }

    /// Takes in what other admin hosts have removed, and ends the invitations of those machines.
    private mutating func hearOfRemovals() throws {
        guard !knowsRemovals else { return }
        try sharing.exchange()
        for name in try folder.endThoseOfRemoved(session, in: sharing.circle).ended {
            Output.note("Ended invitation \(name): a machine that came by it was removed.")
        }
        knowsRemovals = true
    }

    /// Tells what is wrong with one machine's file, once.
    private mutating func tell(_ path: StorePath, _ message: String, _ advice: String) {
        let text = VisibleText.sentence(session.naming("a machine was not let in: \(message); \(advice)"))
        guard told[path] != text else { return }
        told[path] = text
        Output.note("coffer: \(text)")
    }

    /// - Returns: nil for what none of its machines has written. It is not looked at again while it is there.
    private mutating func knock(_ path: StorePath, _ key: InvitationKey) throws -> Knock? {
        let found: [UInt8]?
        do { found = try sharing.folder.read(path) } catch let failure as CommandFailure {
            guard failure.isAboutOneFile else { throw failure }
            tell(path, failure.message, failure.advice)
            return nil
        }
        guard let bytes = found else { return nil }
        do throws(CircleFormError) { return try key.open(bytes, at: path) } catch {
            guard error != .hash else { throw Sharing.misunderstood("a library has failed") }
            return nil
        }
    }

    /// - Returns: whether it came in now.
    private mutating func admit(
        _ knock: Knock, _ path: StorePath, _ invitation: IssuedInvitation, by name: String, _ key: InvitationKey
    ) throws -> Bool {
        let (code, joining) = try Self.known(knock)
        guard let sealed = try sharing.folder.read(.request(joining)) else { return false }
        let request = try Self.opened(sealed, knock, key)
        let device = Hex.encode(request.keys.device.bytes)
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        guard invitation.admits(device, at: now) else {
            throw KeychainError(
                .limitExceeded, "\(request.name.text) is invited, and as many machines as were invited have come",
                advice: "if it is yours, make another invitation: coffer sync invite")
        }
        var evidence: [UInt8]?
        if invitation.attested {
            let demand = ProofDemand(session: session, folder: sharing.folder, place: joining, code: code, limit: .zero)
            do { evidence = try demand.evidence(for: sealed) } catch let error as KeychainError {
                // It answers at its next look, and so does this machine.
                guard error.code == .notFound else { throw error }
                return false
            }
        }
        try session.openVault()
        // Only for a machine that would come in now: to hear of everything takes long.
        try hearOfRemovals()
        let guest = IssuedInvitation.Guest(device: device, name: request.name.text, time: now)
        guard try folder.admit(guest, by: name, now: now) != nil else { return false }
        let reply = try session.call(
            Sync.Add(
                code: code, request: Base64.encode(sealed), evidence: evidence.map { Base64.encode($0) },
                role: invitation.role),
            code: TypedCode(code, isAttested: invitation.attested), by: InvitationAnswer(invitation.role))
        guard let answer = reply.answer, answer.path == StorePath.answer(joining).text,
            let content = Base64.decode(answer.content)
        else { throw Sharing.misunderstood("it has added a machine without an answer") }
        try sharing.folder.write(content, to: .answer(joining))
        sharing.folder.remove(path)
        Output.note("Added \(request.name.text) as a \(invitation.role), by invitation \(name).")
        return true
    }

    private static func known(_ knock: Knock) throws -> (code: String, place: JoinPlace) {
        do {
            let text = try knock.code.text.withBytes { bytes in
                String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
            }
            return (text, try knock.code.place)
        } catch { throw Sharing.misunderstood("a code has no place: \(error)") }
    }

    /// The request that the knock is for.
    private static func opened(_ sealed: [UInt8], _ knock: Knock, _ key: InvitationKey) throws -> JoinRequest {
        do {
            let request = try knock.code.openRequest(sealed)
            guard try knock.isFor(request, by: key) else { throw CircleFormError.signature }
            return request
        } catch {
            throw KeychainError(
                .invalidArgument, "a request is not that of an invited machine",
                advice: "have the machine begin again: coffer sync join FOLDER --new --invitation FILE")
        }
    }
}
