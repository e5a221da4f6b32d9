import Authorization
import Circle
import Cryptography
import Item

/// A code on paper that reads all that the circle shares (docs/sync-members.md, “Paper”).
extension OpenVault {
    /// The statement that adds a paper, for a person to agree to.
    ///
    /// - Parameter paper: its public keys. Their private halves come from a code that this vault never learns.
    /// - Throws: `.notFound` without a circle; `.alreadyExists` if there is a paper; `.invalidArgument` if this device may
    ///   add nobody, or if the keys are none, or were a device's before; `.damaged`, `.storage`.
    package func addition(ofPaper paper: MemberKeys, _ classKeys: ClassKeys) throws(VaultError) -> Statement {
        try read { (snapshot) throws(VaultError) in
            let (_, view) = try view(snapshot, classKeys)
            guard view.role == .admin else {
                throw VaultError(
                    .invalidArgument, "this machine may not make a paper for the others",
                    advice: "make it at another machine")
            }
            guard view.paper == nil else { throw .hasPaper }
            let points = MemberKeys.guards.map { paper.point(of: $0) } + [paper.membership, paper.stream]
            guard points.allSatisfy({ $0.map(P256.isOnCurve) ?? false }), view.keys[paper.device] == nil else {
                throw VaultError(.invalidArgument, "these are no keys of a new paper", advice: "make another code")
            }
            do throws(CircleFormError) {
                return try Statement(
                    circle: view.device.circle, signer: view.device.id, past: view.newestStatements,
                    .addition(paper, .paper))
            } catch { throw .impossible(error) }
        }
    }

    /// The records that bring a paper in, once a person has agreed: the statement, new keys for all, and for the paper
    /// what it needs to begin with.
    ///
    /// - Throws: `.changed` if the members are others by now; `.damaged`, `.storage`.
    package func addPaper(_ signed: SignedStatement, _ classKeys: ClassKeys) throws(VaultError) -> PreparedRecords {
        try read { (snapshot) throws(VaultError) in
            let (material, before) = try view(snapshot, classKeys)
            var after = material
            after.statements.append(signed)
            let view = try CircleView(after, classKeys, in: snapshot)
            guard case .addition(let paper, .paper, _) = signed.statement.content, view.paper == paper else {
                throw VaultError(.changed, "the members were changed meanwhile", advice: "try again")
            }
            let envelopes = try PaperSealing.envelopes(
                for: paper, view.signedStatements, before.openGenerations, by: before, at: now())
            var prepared = try prepared(
                view, [.statement(signed)], given: [], from: before, envelopes)
            prepared.besides = [(.receivers, GuardReceivers(view).encoded)]
            return prepared
        }
    }
}

extension VaultError {
    static let hasPaper = VaultError(
        .alreadyExists, "there is a code on paper already",
        advice: "to make another one, which replaces it: coffer sync paper --again")
}
