import Authorization
import BrokerProtocol
import Varlink
import Vault

/// `State`: with which machines the vault shares its items.
enum StateHandler: SharingHandler {
    typealias Method = Sync.State

    static func reply(to method: Sync.State, _ request: Request) async throws(Fault) -> MethodAnswer {
        try SharingPrecondition.check(request)
        guard request.condition != .none else { return .reply(Sync.State.Reply()) }
        let item = try method.item.map { (text) throws(Fault) in try SharingWire.item(text) }
        let (state, requested) = try await request.vaultActor.use {
            (try $0.vault.circleState($0.keys, of: item), try $0.vault.joinRequest != nil)
        }
        guard let state else { return .reply(Sync.State.Reply(requested: requested)) }
        return .reply(
            Sync.State.Reply(
                circle: Hex.encode(state.circle.bytes),
                machines: state.machines.map { machine in
                    Sync.Machine(
                        device: Hex.encode(machine.device.bytes), name: machine.profile?.name.text,
                        role: machine.role.text, protection: machine.profile?.protection.text, own: machine.isOwn,
                        heard: machine.heard.map { Int64(clamping: $0) }, forked: machine.isForked,
                        seen: machine.isOwn ? nil : machine.hasTakenAll, agrees: machine.agrees,
                        missing: machine.missing > 0 ? Int64(machine.missing) : nil)
                },
                former: state.former.map { machine in
                    Sync.FormerMachine(
                        device: Hex.encode(machine.device.bytes),
                        name: machine.isPaper ? VaultSharing.paperName.text : machine.profile?.name.text,
                        protection: machine.isPaper ? "paper" : machine.profile?.protection.text,
                        left: machine.hasLeft ? true : nil, own: state.succeeded.contains(machine.device) ? true : nil)
                },
                paper: state.paper.map {
                    Sync.Paper(device: Hex.encode($0.device.bytes), made: $0.made.map { Int64(clamping: $0) })
                }, digest: Hex.encode(state.digest), joined: state.isMember, pending: Int64(state.pending),
                waiting: Int64(state.waiting),
                requested: requested, conflicts: state.conflicts.map { Int64($0) }))
    }
}
