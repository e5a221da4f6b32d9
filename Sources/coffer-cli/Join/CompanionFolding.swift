import Coffer

/// Puts the value of a companion into a field, and then the companion aside. A second attempt after any stop completes it.
struct CompanionFolding {
    let session: CommandSession
    let noPrompt: Bool
    /// For the prompt and the log.
    let reason: String?
    /// The command to run in a terminal if nobody can be asked here.
    let command: String

    /// - Parameters:
    ///   - new: what the field gets, and what the item gets if there is none.
    ///   - companion: as it was when its value was read.
    ///   - target: as it is now; nil if there is no such item.
    ///   - isThere: whether the field has the value already.
    /// - Returns: the item with the field.
    func fold(
        _ new: NewItem, from companion: ItemAttributes, into name: ItemName, _ target: ItemAttributes?,
        isThere: Bool = false
    ) throws(KeychainError) -> ItemAttributes {
        let joined: ItemAttributes
        if let target {
            let tightened = try tightened(target, for: companion)
            joined = isThere ? tightened : try store(new, into: tightened)
        } else {
            joined = try make(new, name, companion)
        }
        // Somebody may have stored another value meanwhile. That one stays.
        _ = try session.call(
            ItemCall.apply([.putAside(companion.name, if: .isUnchanged(since: companion))]),
            for: companion.shownName, noPrompt: noPrompt, command: command)
        return joined
    }

    /// Gives the item the companion's access control, if that is the stricter one.
    private func tightened(
        _ target: ItemAttributes, for companion: ItemAttributes
    ) throws(KeychainError) -> ItemAttributes {
        if let obstacle = FoldedAccess.obstacle(companion, target) {
            throw KeychainError(.invalidArgument, obstacle)
        }
        guard let access = FoldedAccess.stricter(companion.access, target.access), access != target.access else {
            return target
        }
        return try session.call(
            ItemCall.edit(target.name, ItemEdit(access: access), ReadRequest(reason: reason)), for: target.shownName,
            noPrompt: noPrompt, choosingPassword: false, command: command)
    }

    private func store(_ new: NewItem, into target: ItemAttributes) throws(KeychainError) -> ItemAttributes {
        // Any program can replace a guarded item by one that is not. The value must not get into such a one.
        try session.store(
            new, as: FullName(service: target.service, account: target.account),
            if: .isUnchanged(since: target),
            needing: target.access.requirements.contains(.applicationPassword) ? .present : nil, noPrompt: noPrompt
        ).attributes
    }

    private func make(
        _ new: NewItem, _ name: ItemName, _ companion: ItemAttributes
    ) throws(KeychainError) -> ItemAttributes {
        var new = new
        new.access = companion.access
        return try session.store(
            new, as: FullName(service: name.service, account: name.account), if: .isAbsent, needing: nil,
            noPrompt: noPrompt
        ).attributes
    }
}
