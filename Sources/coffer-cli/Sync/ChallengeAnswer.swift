import BrokerProtocol
import Circle
import Coffer
import Platform

/// Answers the challenge of a member while this machine waits to be added (docs/sync-format.md, "Proof of a TPM").
struct ChallengeAnswer {
    let session: CommandSession
    let folder: SharedFolder
    let place: JoinPlace
    /// The last challenge that was looked at. Who keeps the folder can put anything there, and each costs the TPM a second.
    private var known: [UInt8]?

    init(_ session: CommandSession, _ folder: SharedFolder, _ place: JoinPlace) {
        (self.session, self.folder, self.place) = (session, folder, place)
    }

    /// Looks for a challenge, and answers one that is new.
    mutating func give() throws {
        guard let challenge = try folder.read(.proof(.challenge, place)), challenge != known else { return }
        known = challenge
        let reply: Sync.Prove.Reply
        do throws(KeychainError) {
            reply = try session.client.call(Sync.Prove(challenge: Base64.encode(challenge)))
        } catch {
            Output.note("coffer: \(VisibleText.sentence("this machine cannot prove its TPM: \(error.message)"))")
            return
        }
        guard reply.evidence.path == StorePath.proof(.evidence, place).text,
            let content = Base64.decode(reply.evidence.content)
        else { throw Sharing.misunderstood("a proof has no place in the folder") }
        try folder.write(content, to: .proof(.evidence, place))
        try folder.publish()
        Output.note("This machine has proved to the other one that its keys are in its TPM.")
    }

    /// Removes what is of no use once the machine was added.
    func tidy() { for step in ProofStep.allCases { folder.remove(.proof(step, place)) } }
}
