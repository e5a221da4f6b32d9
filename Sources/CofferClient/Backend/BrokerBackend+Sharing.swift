import BrokerProtocol
import Platform

/// What the broker tells of the machines that share a vault's items (`org.coffer.Sync`).
extension BrokerBackend {
    /// Implements ``KeychainBackend/sharing(in:)``.
    public func sharing(in vault: VaultName) async throws(KeychainError) -> SharingState {
        SharingState(try await call(Sync.State(), in: vault))
    }

    /// Implements ``KeychainBackend/sharing(of:in:)``.
    public func sharing(of item: ItemName, in vault: VaultName) async throws(KeychainError) -> ItemSharing {
        let id = try await attributes(of: item, in: vault).id
        guard try await sharing(in: vault).circle != nil else { return .local }
        let reply: Sync.State.Reply
        do throws(KeychainError) { reply = try await call(Sync.State(item: id), in: vault) } catch {
            // The item is not shared.
            guard error.code == .invalidArgument else { throw error }
            return .local
        }
        if reply.pending > 0 { return .waiting }
        return reply.machines.allSatisfy { $0.own || $0.seen == true } ? .everywhere : .givenOut
    }

    /// Implements ``KeychainBackend/conflicts(in:)``.
    public func conflicts(in vault: VaultName) async throws(KeychainError) -> [ItemConflict] {
        let state = try await sharing(in: vault)
        guard state.circle != nil else { return [] }
        var (found, after): ([ItemConflict], String?) = ([], nil)
        repeat {
            let reply = try await call(Sync.Conflicts(after: after), in: vault)
            for conflict in reply.conflicts {
                guard let conflict = ItemConflict(conflict, own: state.ownDevice) else { continue }
                found.append(conflict)
            }
            after = reply.next
        } while after != nil && found.count < ConflictLimits.listed
        return found
    }

    /// Reads one revision of a field in a conflict.
    public func read(
        _ revision: String, of conflict: ItemConflict, _ request: ReadRequest, in vault: VaultName
    ) async throws(KeychainError) -> [UInt8] {
        let name = conflict.name
        guard case .field(let field) = conflict.part else { throw .noSuchRevision }
        let method = Wire.Get(
            service: name.service, account: name.account, kind: name.wireKind, field: field.text, revision: revision,
            reason: request.reason, unlock: request.mayUnlock)
        let reply = try await call(method, in: vault, prompts: request.prompts, about: "\(name)")
        return try Base64.take(reply.value)
    }

    /// Implements ``KeychainBackend/resolve(_:taking:in:)``.
    public func resolve(
        _ conflict: ItemConflict, taking revision: String, in vault: VaultName
    ) async throws(KeychainError) {
        let (part, name) = conflict.part.words
        let method = Sync.Resolve(item: conflict.item, part: part, name: name, take: revision)
        _ = try await call(method, in: vault, about: "\(conflict.name)")
    }
}

extension SharingState {
    fileprivate init(_ reply: Sync.State.Reply) {
        self.init(
            circle: reply.joined ? reply.circle : nil,
            machines: reply.machines.filter { !$0.own }.map {
                Machine(id: $0.device, name: $0.name, isHeard: $0.heard != nil, hasTakenAll: $0.seen ?? false)
            }, pending: Int(clamping: reply.pending), conflicts: reply.conflicts.map { Int(clamping: $0) })
        ownDevice = reply.machines.first(where: \.own)?.device
    }
}

extension ItemConflict {
    /// - Returns: nil for a part that this version does not know.
    fileprivate init?(_ wire: Sync.Conflict, own: String?) {
        guard let part = Part(wire.part, wire.name) else { return nil }
        self.init(
            item: wire.item, name: ItemName(service: wire.service, account: wire.account, itemClass: wire.kind),
            part: part,
            revisions: wire.revisions.map {
                Revision(
                    id: $0.id, machine: $0.machine, isOwn: $0.device == own, isShown: $0.shown,
                    isReadable: !$0.unreadable)
            })
    }
}

extension ItemConflict.Part {
    fileprivate init?(_ part: String, _ name: String?) {
        switch (part, name) {
        case ("field", let name?):
            guard let field = FieldName(name) else { return nil }
            self = .field(field)
        case ("attribute", let name?): self = .attribute(name)
        case ("name", _): self = .name
        case ("label", _): self = .label
        case ("comment", _): self = .comment
        case ("expiry", _): self = .expiry
        default: return nil
        }
    }

    fileprivate var words: (part: String, name: String?) {
        switch self {
        case .field(let name): ("field", name.text)
        case .attribute(let name): ("attribute", name)
        case .name: ("name", nil)
        case .label: ("label", nil)
        case .comment: ("comment", nil)
        case .expiry: ("expiry", nil)
        }
    }
}
