import BrokerProtocol
import Varlink
import Vault

/// `History`: the values that an item had before, without the values themselves. It never prompts.
enum HistoryHandler: MethodHandler {
    static func answer(_ method: Keychain.History, _ request: Request) async throws(Fault) -> MethodAnswer {
        let found = try await request.vaultActor.use {
            try $0.vault.history(
                service: method.service, account: method.account, kind: method.kind ?? .genericPassword)
        }
        return .reply(
            Keychain.History.Reply(
                item: Keychain.Item(found.item),
                versions: found.versions.map { former in
                    Keychain.FormerVersion(
                        version: Int64(clamping: former.version),
                        field: former.field == .secret ? nil : former.field.text, set: Int64(clamping: former.valueSet),
                        access: former.access, until: Int64(clamping: former.until))
                }))
    }
}

/// `SetHistory`: what the vault keeps of values that are replaced, and of items that are deleted.
enum SetHistoryHandler: MethodHandler {
    static func answer(_ method: Keychain.SetHistory, _ request: Request) async throws(Fault) -> MethodAnswer {
        let program = request.program()
        let changed = try await request.vaultActor.change { state in
            let present = try state.vault.history
            let setting = try HistorySetting(
                count: method.values.map { Int(clamping: $0) } ?? Int(present.count),
                days: method.days.map { Int(clamping: $0) } ?? Int(present.days))
            let former = try state.vault.bin
            let bin = try method.bin.map { (days) throws(VaultError) in try BinSetting(days: Int(clamping: days)) }
            if setting != present || bin ?? former != former {
                try state.vault.put(setting, bin)
                let words = "former values: \(setting.count) for \(setting.days) days"
                state.note(
                    AccessRecord(.edit, by: program, detail: bin.map { "\(words), bin: \($0.days) days" } ?? words))
            }
            return Keychain.HistorySetting(setting, bin ?? former)
        }
        return .reply(Keychain.SetHistory.Reply(history: changed.value, protected: changed.protected))
    }
}

extension Keychain.HistorySetting {
    init(_ setting: HistorySetting, _ bin: BinSetting) {
        self.init(values: Int64(setting.count), days: Int64(setting.days), bin: Int64(bin.days))
    }
}

extension VaultActor {
    /// What the vault keeps of values and items; nil if the vault is not open. This does not use the TPM.
    func history() throws(Fault) -> Keychain.HistorySetting? {
        guard let open else { return nil }
        return try step { () throws(VaultError) in
            Keychain.HistorySetting(try open.vault.history, try open.vault.bin)
        }
    }
}

/// Decodes an item's version in messages.
enum WireVersion {
    static func decode(_ version: Int64) throws(Fault) -> UInt64 {
        guard let version = UInt64(exactly: version), version > 0 else {
            throw Fault(.invalidArgument, "an item's versions count from 1")
        }
        return version
    }
}
