// Made by scripts/interfaces: change that script.
import BrokerProtocol
import Item
import Varlink

extension Keychain.Item: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(
            id: source.next(), service: source.next(), account: source.next(), kind: source.next(),
            label: source.next(), comment: source.next(), attributes: source.next(),
            access: source.next() as AccessControl, created: source.next(), modified: source.next(),
            expires: source.next(), version: source.next(), revision: source.next(), biometrySet: source.next()
        )
    }
}

extension Keychain.FormerVersion: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(version: source.next(), set: source.next(), access: source.next() as AccessControl, until: source.next())
    }
}

extension Keychain.HistorySetting: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(values: source.next(), days: source.next())
    }
}

extension Keychain.VaultState: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(
            state: source.next(), since: source.next(), items: source.next(), bound: source.next(),
            boot: source.next(), counter: source.next(), protected: source.next()
        )
    }
}

extension Keychain.ApprovedBoot: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(digest: source.next(), approved: source.next())
    }
}

extension Keychain.BootState: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(registers: source.next(), approved: source.next(), now: source.next(), isApproved: source.next())
    }
}

extension Keychain.Replacement: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(old: source.next(), new: source.next())
    }
}

extension Keychain.RegisterValue: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(register: source.next(), value: source.next())
    }
}

extension Keychain.RecoveryState: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(made: source.next())
    }
}

extension Keychain.Sealer: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(kind: source.next(), manufacturer: source.next(), model: source.next(), identity: source.next())
    }
}

extension Keychain.LogRecord: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(
            sequence: source.next(), time: source.next(), event: source.next(), outcome: source.next(),
            uid: source.next(), pid: source.next(), program: source.next(), resolved: source.next(),
            controlGroup: source.next(), item: source.next(), service: source.next(), account: source.next(),
            kind: source.next(), require: source.next(), reason: source.next(), detail: source.next(),
            missed: source.next()
        )
    }
}

extension Keychain.Change: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(
            action: source.next(), service: source.next(), account: source.next(), kind: source.next(),
            value: source.next(), access: source.next() as Keychain.AccessChange?, label: source.next(),
            comment: source.next(), attributes: source.next(), expires: source.next(), mode: source.next(),
            ifRevision: source.next(), applicationPassword: source.next()
        )
    }
}

extension Keychain.ChangeResult: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(
            item: source.next(), version: source.next(), revision: source.next(), replaced: source.next(),
            deleted: source.next()
        )
    }
}

extension Keychain.ItemName: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(service: source.next(), account: source.next(), kind: source.next())
    }
}

extension Keychain.ItemValue: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(value: source.next(), item: source.next() as Keychain.Item)
    }
}

extension Keychain.LeaseState: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(
            id: source.next(), pid: source.next(), command: source.next(), program: source.next(),
            items: source.next(), granted: source.next(), ends: source.next()
        )
    }
}

extension Keychain.Event: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(event: source.next(), item: source.next() as Keychain.Item?, time: source.next())
    }
}

extension Keychain.LockCauses: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(screen: source.next(), sleep: source.next(), idleMinutes: source.next())
    }
}

extension Keychain.BootCoverage: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(
            registers: source.next(), commandLine: source.next(), initrd: source.next(),
            changesWithMenu: source.next(), reason: source.next()
        )
    }
}

extension Keychain.ItemPassword: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(item: source.next(), password: source.next())
    }
}

extension Keychain.Finding: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(check: source.next(), verdict: source.next(), message: source.next(), advice: source.next())
    }
}

extension Keychain.ItemReply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(item: source.next() as Keychain.Item)
    }
}

extension Keychain.ChangedItemReply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(item: source.next() as Keychain.Item, protected: source.next())
    }
}

extension Keychain.ItemsReply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(items: source.next())
    }
}

extension Keychain.VaultReply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(vault: source.next() as Keychain.VaultState)
    }
}

extension Keychain.BootReply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(boot: source.next() as Keychain.BootState?)
    }
}

extension Keychain.Set.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(
            item: source.next() as Keychain.Item, replaced: source.next(), former: source.next(),
            protected: source.next()
        )
    }
}

extension Keychain.Set: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(
            service: source.next(), account: source.next(), kind: source.next(), value: source.next(),
            access: source.next() as Keychain.AccessChange?, label: source.next(), comment: source.next(),
            attributes: source.next(), expires: source.next(), mode: source.next(), ifRevision: source.next(),
            applicationPassword: source.next(), challenge: source.next()
        )
    }
}

extension Keychain.Apply.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(results: source.next(), protected: source.next())
    }
}

extension Keychain.Apply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(changes: source.next(), rollback: source.next(), challenge: source.next())
    }
}

extension Keychain.Get.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(value: source.next(), item: source.next() as Keychain.Item)
    }
}

extension Keychain.Get: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(
            service: source.next(), account: source.next(), kind: source.next(), version: source.next(),
            reason: source.next(), unlock: source.next(), applicationPassword: source.next(),
            forOthers: source.next(), challenge: source.next()
        )
    }
}

extension Keychain.GetAll.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(items: source.next())
    }
}

extension Keychain.GetAll: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(
            items: source.next(), reason: source.next(), unlock: source.next(), forOthers: source.next(),
            challenge: source.next()
        )
    }
}

extension Keychain.Lease.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(lease: source.next() as Keychain.LeaseState?)
    }
}

extension Keychain.Lease: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(
            items: source.next(), seconds: source.next(), command: source.next(), reason: source.next(),
            challenge: source.next()
        )
    }
}

extension Keychain.EndLeases.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(ended: source.next())
    }
}

extension Keychain.EndLeases: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self()
    }
}

extension Keychain.History.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(item: source.next() as Keychain.Item, versions: source.next())
    }
}

extension Keychain.History: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(service: source.next(), account: source.next(), kind: source.next())
    }
}

extension Keychain.Restore: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(
            service: source.next(), account: source.next(), kind: source.next(), version: source.next(),
            reason: source.next(), unlock: source.next(), applicationPassword: source.next(),
            challenge: source.next()
        )
    }
}

extension Keychain.SetHistory.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(history: source.next() as Keychain.HistorySetting, protected: source.next())
    }
}

extension Keychain.SetHistory: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(values: source.next(), days: source.next())
    }
}

extension Keychain.Withdraw: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(challenge: source.next())
    }
}

extension Keychain.Exists.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(exists: source.next())
    }
}

extension Keychain.Exists: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(service: source.next(), account: source.next(), kind: source.next())
    }
}

extension Keychain.Show: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(service: source.next(), account: source.next(), kind: source.next())
    }
}

extension Keychain.List: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(service: source.next(), accounts: source.next(), kind: source.next())
    }
}

extension Keychain.Search: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(text: source.next(), attributes: source.next(), kind: source.next())
    }
}

extension Keychain.Monitor.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(events: source.next())
    }
}

extension Keychain.Monitor: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(service: source.next(), kind: source.next())
    }
}

extension Keychain.Edit: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(
            service: source.next(), account: source.next(), kind: source.next(),
            access: source.next() as AccessControl?, label: source.next(), comment: source.next(),
            attributes: source.next(), expires: source.next(), reason: source.next(), unlock: source.next(),
            applicationPassword: source.next(), newApplicationPassword: source.next(), challenge: source.next()
        )
    }
}

extension Keychain.Rotate: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(
            service: source.next(), account: source.next(), kind: source.next(), unlock: source.next(),
            applicationPassword: source.next(), challenge: source.next()
        )
    }
}

extension Keychain.Delete: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(
            service: source.next(), account: source.next(), kind: source.next(), ifRevision: source.next(),
            rollback: source.next()
        )
    }
}
