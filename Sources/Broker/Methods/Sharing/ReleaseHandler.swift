import Authorization
import BrokerProtocol
import Circle
import Item
import Varlink
import Vault

/// `Release`: makes guarded items readable on other machines. They are opened for that, so the person is asked.
enum ReleaseHandler: SharingHandler {
    typealias Method = Sync.Release

    static func reply(to method: Sync.Release, _ request: Request) async throws(Fault) -> MethodAnswer {
        try await SharingPrecondition.checkPersons(request)
        guard (1...JointReadLimits.items).contains(method.items.count) else {
            throw Fault(.invalidArgument, "a call releases 1 to \(JointReadLimits.items) items")
        }
        let names = try method.items.map { (item) throws(Fault) in try SharingWire.item(item) }
        let receivers = try await receivers(SharingWire.devices(method.devices), request)
        let granted = try request.redeem(method.challenge)
        let asked: (Challenge.Request, VaultID)? = try await look(request, granted, names, receivers)
        guard let (asked, vault) = asked else { return .reply(Nothing()) }
        // A person has already answered for this call, and that was not enough.
        if granted != nil { throw Faults.challengeRefused }
        throw try request.ask(for: asked, vault: vault)
    }

    static func logged(_ method: Sync.Release) -> LoggedCall? { LoggedCall(event: .share) }

    /// They must be other members: the prompt shows what these call themselves.
    private static func receivers(_ devices: [WriterID], _ request: Request) async throws(Fault) -> ReleaseReceivers {
        let state = try await request.vaultActor.use { try $0.vault.circleState($0.keys) }
        var known = (state?.machines ?? []).map { machine in
            (
                device: machine.device, name: VaultSharing.name(machine.profile?.name, of: machine.device),
                isOwn: machine.isOwn
            )
        }
        if let paper = state?.paper { known.append((paper.device, VaultSharing.paperName, false)) }
        let machines = known.filter { devices.contains($0.device) && !$0.isOwn }.sorted { $0.device < $1.device }
        guard !machines.isEmpty, machines.map(\.device) == devices else {
            throw Fault(
                .notFound, "that is no other machine that shares the secrets",
                advice: "see which are: coffer sync status")
        }
        // Machines choose their names themselves, and two can have the same one.
        let (names, all) = (machines.map(\.name), known.map(\.name))
        return ReleaseReceivers(
            devices: devices,
            names: zip(names, machines).map { name, machine in
                all.count { $0 == name } == 1
                    ? name : MachineName(near: "\(Hex.encode(machine.device.bytes).prefix(8))-\(name.text)")
            })
    }

    /// One step of the vault: the items are still those that the person was shown.
    ///
    /// - Returns: what the person must be asked; nil if it is done.
    private static func look(
        _ request: Request, _ granted: GrantedChallenge?, _ names: [ItemName], _ receivers: ReleaseReceivers
    ) async throws(Fault) -> (Challenge.Request, VaultID)? {
        let program = request.program(granted)
        return try await request.vaultActor.use { state in
            if let granted {
                // The machines are those that the person was shown. The repeated call could name others.
                guard granted.vault == state.record.vault, case .release(_, receivers) = granted.request else {
                    throw Faults.challengeRefused
                }
            }
            let found = try names.map { name in
                try state.vault.look(service: name.service, account: name.account, kind: name.itemClass, .all) {
                    ReleasedItem(item: $0.item, plan: try $0.plan())
                }
            }
            let all = found.map(\.target)
            guard Set(all.map(\.item)).count == all.count else {
                throw Fault(.invalidArgument, "an item is named twice")
            }
            let missing = try found.map { one in
                guard !one.item.access.requirements.isEmpty else {
                    throw Fault(.invalidArgument, "an item that requires nobody is shared without a release")
                }
                return try ReadRules.judge(
                    ReadFacts(
                        caller: request.caller, vaultOwner: request.vaultActor.owner,
                        standing: request.admission.standing, own: request.own, item: one.item, fields: one.fields,
                        plan: one.plan, lock: state.lock, mayUnlock: false, hasPassword: false, together: all,
                        jointUse: .release, granted: granted))
            }
            let wanted = zip(missing, found).compactMap { missing, one in missing.ways.map { (one.item.id, $0) } }
            guard wanted.isEmpty else {
                return (
                    .release(
                        try Challenge.JointRead(found.map(\.subject), reason: nil, wanted: wanted), receivers),
                    state.record.vault
                )
            }
            try state.vault.release(
                found.map(\.item), to: receivers.devices, state.keys, agreements: granted?.grant.agreements ?? [:])
            let machines = receivers.names.map(\.text).joined(separator: ", ")
            for (number, one) in found.enumerated() {
                try state.vault.note(
                    AccessRecord(.share, by: program, of: .init(one.item), detail: "released to \(machines)"),
                    number == found.count - 1 ? .anchored : .written)
            }
            return nil
        }
    }
}

/// An item with all of its fields, and what it takes to read them.
private struct ReleasedItem: Sendable {
    let item: ItemSummary
    let plan: ReadPlan

    var fields: [FieldName] { item.metadata.fields.map(\.name) }
    var target: Challenge.Target { Challenge.Target(item: item.id, fields: fields) }

    var subject: Challenge.Subject {
        Challenge.Subject(
            item: item.id, version: item.version, service: item.metadata.service, account: item.metadata.account,
            kind: item.metadata.kind, fields: fields)
    }
}
