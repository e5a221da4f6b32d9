import BrokerProtocol
import Circle
import Cryptography
import Platform
import Varlink

/// `Prove`: has the TPM prove that the keys of the request that waits are in it. Nobody is asked, because nothing is shared.
enum ProveHandler: SharingHandler {
    typealias Method = Sync.Prove

    static func reply(to method: Sync.Prove, _ request: Request) async throws(Fault) -> MethodAnswer {
        try await SharingPrecondition.checkDecides(request)
        let waiting = try await request.vaultActor.use { try $0.vault.joinRequest }
        guard let waiting else {
            throw Fault(
                .notFound, "this machine waits for no answer", advice: "begin with: coffer sync join FOLDER")
        }
        let code = try SharingWire.form { () throws(CircleFormError) in try JoinCode(of: waiting) }
        let challenge: JoinChallenge
        do {
            challenge = try JoinChallenge(decoding: code.open(Base64.decode(method.challenge) ?? [], .challenge))
        } catch {
            throw Fault(.invalidArgument, "that is not a challenge to the machine with this code")
        }
        let evidence = try await request.vaultActor.sharing.evidence(in: request.vaultActor, for: challenge)
        let (path, sealed) = try SharingWire.cryptography { () throws(CryptographyError) in
            (StorePath.proof(.evidence, try code.place).text, try code.seal(evidence.bytes, .evidence))
        }
        return .reply(Sync.Prove.Reply(evidence: Sync.File(path: path, content: Base64.encode(sealed))))
    }
}
