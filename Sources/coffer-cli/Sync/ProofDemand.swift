import BrokerProtocol
import Circle
import Coffer
import Cryptography
import Platform

/// Has a new machine prove that its keys are in a TPM of root's list, before it is added.
struct ProofDemand {
    let session: CommandSession
    let folder: SharedFolder
    let place: JoinPlace
    /// As the person typed it.
    let code: String
    let limit: Duration

    /// The machine's evidence, as it lies in the folder.
    ///
    /// - Parameter request: as it lies in the folder.
    func evidence(for request: [UInt8]) throws -> [UInt8] {
        let identity = try file(
            .identity, "Waiting for the identity of the new machine's TPM.",
            missing: "the new machine has shown no TPM",
            advice: "it needs a TPM, and this version of Coffer or a later one; have it run: coffer sync join FOLDER")
        let challenge = try session.client.challenge(
            code: code, request: Base64.encode(request), identity: Base64.encode(identity))
        guard let bytes = Base64.decode(challenge) else { throw Sharing.misunderstood("a challenge is not base64") }
        // The authenticator asks for the same secret each time, so the answer to an earlier challenge is as good.
        if let present = try folder.read(.proof(.evidence, place)), isSealed(present) { return present }
        try folder.write(bytes, to: .proof(.challenge, place))
        try folder.publish()
        return try file(
            .evidence, "Waiting until the new machine has proved itself: coffer sync join must run there.",
            missing: "the new machine has not answered",
            advice: "have it wait with: coffer sync join FOLDER; then run: coffer sync add --attested")
    }

    /// Whether somebody who knows the code has written it. Anything else in its place is waited past.
    private func isSealed(_ evidence: [UInt8]) -> Bool {
        do {
            let typed = try SecretBytes(copying: Array(code.utf8))
            let known = try JoinCode(reading: typed)
            _ = try known.open(evidence, ProofStep.evidence)
            return true
        } catch { return false }
    }

    private func file(_ step: ProofStep, _ notice: String, missing: String, advice: String) throws -> [UInt8] {
        let wait = FileWait(folder: folder, path: .proof(step, place), notice: notice, limit: limit) { bytes in
            step != .evidence || isSealed(bytes)
        }
        guard let bytes = try wait.file() else { throw KeychainError(.notFound, missing, advice: advice) }
        return bytes
    }
}
