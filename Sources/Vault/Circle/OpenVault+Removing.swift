import Authorization
import Circle
import Cryptography
import Item

/// Takes machines out of a circle.
extension OpenVault {
    /// The statement that removes machines, for a person to agree to.
    ///
    /// - Throws: `.notFound` without a circle, and for a machine that is no member; `.invalidArgument` if this one may
    ///   remove only itself; `.damaged`, `.storage`.
    package func removal(of devices: [WriterID], _ classKeys: ClassKeys) throws(VaultError) -> Statement {
        try read { (snapshot) throws(VaultError) in
            let (_, view) = try view(snapshot, classKeys)
            guard let role = view.role else { throw .noMember }
            let members = Set(view.membership.members.map(\.keys.device))
            guard !devices.isEmpty, devices.allSatisfy(members.contains) else {
                throw VaultError(
                    .notFound, "that machine is not among those that share the secrets",
                    advice: "see which are: coffer sync status")
            }
            guard role == .admin || devices == [view.device.id] else {
                throw VaultError(
                    .invalidArgument, "this machine may not remove others", advice: "remove it at another machine")
            }
            do throws(CircleFormError) {
                return try Statement(
                    circle: view.device.circle, signer: view.device.id, past: view.newestStatements,
                    .removal(Set(devices).sorted()))
            } catch { throw .impossible(error) }
        }
    }

    /// The records of a removal, once a person has agreed. They name what this vault has merged of the removed machines,
    /// and give those that stay other keys.
    ///
    /// - Throws: `.changed` if the members are others by now; `.damaged`, `.storage`.
    package func remove(_ signed: SignedStatement, _ classKeys: ClassKeys) throws(VaultError) -> PreparedRecords {
        try read { (snapshot) throws(VaultError) in
            let (material, before) = try view(snapshot, classKeys)
            var after = material
            after.statements.append(signed)
            var view = try CircleView(after, classKeys, in: snapshot)
            guard case .removal(let devices) = signed.statement.content,
                view.membership.members.allSatisfy({ !devices.contains($0.keys.device) })
            else {
                throw VaultError(.changed, "the members were changed meanwhile", advice: "try again")
            }
            let merged = view.unnamed.filter { devices.contains($0.device) }
            after.merged = before.mergedEnds.filter { devices.contains($0.key) }
            view = try CircleView(after, classKeys, in: snapshot)
            var prepared = try prepared(
                view, view.naming(merged) + [.statement(signed)], given: [], from: before)
            // From now on, what is set here is not for them. That this vault knows so must not depend on keys that only they
            // have told.
            prepared.besides = [
                (.receivers, GuardReceivers(view).encoded), (.statement(signed.statement.name), signed.bytes),
            ]
            return prepared
        }
    }

    /// Forgets the circle, or a request to join one. The items stay.
    ///
    /// - Throws: `.invalidArgument` if the vault is still a member; `.damaged`, `.storage`.
    package func forgetCircle(_ classKeys: ClassKeys) throws(VaultError) {
        try write { (change) throws(VaultError) in
            if let found = try viewIfPresent(change, classKeys), found.1.role != nil {
                throw VaultError(
                    .invalidArgument, "this machine still shares its secrets", advice: "leave with: coffer sync leave")
            }
            try change.removeCircle()
        } committed: { _ in
            circleRun.withLock { $0 = nil }
        }
    }
}

extension VaultError {
    static let noMember = VaultError(
        .invalidArgument, "this machine was removed from those that share the secrets",
        advice: "forget them with: coffer sync leave; then join again with: coffer sync join FOLDER")
}
