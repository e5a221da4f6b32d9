import Item

/// Makes several changes at once.
extension OpenVault {
    /// Makes all changes in their order, in one transaction: all of them or none. A later change finds what an earlier
    /// one has done.
    ///
    /// - Parameter protection: when an older copy of the file can no longer undo this.
    /// - Returns: the result of each change.
    /// - Throws: as ``set(_:mode:ifRevision:)`` and ``delete(service:account:kind:ifRevision:)``, but never `.notFound`
    ///   for an item that is to be deleted. The words begin with the number of the change, from 1.
    @discardableResult
    public func apply(
        _ changes: [PlannedChange], protection: DeletionProtection = .soon
    ) throws(VaultError) -> [PlannedChange.Result] {
        try Self.each(changes) { (change) throws(VaultError) in
            if case .set(let draft, _, _) = change { try ItemLimits.check(draft) }
        }
        return try write(protection: protection) { (transaction) throws(VaultError) in
            try Self.each(changes) { (change) throws(VaultError) in try make(change, transaction) }
        }
    }

    /// The access control that each set will leave, if all changes before it are made; nil for another change.
    ///
    /// - Throws: `.invalidArgument` if one contradicts itself; `.damaged`, `.storage`.
    public func accesses(after changes: [PlannedChange]) throws(VaultError) -> [AccessControl?] {
        try read { (snapshot) throws(VaultError) in
            var forecast = AccessForecast()
            return try Self.each(changes) { (change) throws(VaultError) in try forecast.make(change, in: snapshot) }
        }
    }

    private func make(_ change: PlannedChange, _ transaction: Change) throws(VaultError) -> PlannedChange.Result {
        switch change {
        case .set(let draft, let mode, let revision):
            let (item, replaced) = try set(draft, mode, ifRevision: revision, transaction)
            return .stored(item, replaced: replaced)
        case .delete(let service, let account, let kind, let revision):
            try checkMayChange(transaction.item(service: service, account: account, kind: kind), transaction)
            let item = try transaction.remove(service, account, kind, ifRevision: revision)
            return .deleted(item.map { [$0] } ?? [])
        case .putAside(let service, let account, let kind, let revision):
            let old = try transaction.item(service: service, account: account, kind: kind)
            try old.check(revision)
            guard let old else { return .deleted([]) }
            let deletion = try putAside(old, transaction)
            return deletion.until == nil ? .deleted([deletion.item]) : .putAside(deletion.item)
        case .deleteService(let service, let kind):
            let items = try transaction.items(service: service, kind: kind).filter {
                $0.summary.metadata.kind.isFound(by: kind)
            }
            for item in items {
                try checkMayChange(item, transaction)
                try transaction.remove(item)
            }
            return .deleted(items.map(\.summary))
        }
    }

    @discardableResult
    private static func each<Value>(
        _ changes: [PlannedChange], _ body: (PlannedChange) throws(VaultError) -> Value
    ) throws(VaultError) -> [Value] {
        var values: [Value] = []
        for (index, change) in changes.enumerated() {
            do throws(VaultError) { values.append(try body(change)) } catch { throw error.about(change: index) }
        }
        return values
    }
}

extension VaultError {
    /// The same error, naming the change that it is about. An error of the vault as a whole is about none.
    ///
    /// - Parameter index: from 0. People count from 1.
    fileprivate func about(change index: Int) -> VaultError {
        switch code {
        case .notFound, .noField, .ambiguous, .alreadyExists, .changed, .outdated, .limitExceeded, .invalidArgument,
            .authenticationFailed, .fingersChanged, .locked:
            VaultError(code, "change \(index + 1): \(reason)", advice: advice, cause: cause)
        case .damaged, .rollback, .uncounted, .keysRenewed, .newerFormat, .sealer, .storage, .replaced, .outOfMemory:
            self
        }
    }
}
