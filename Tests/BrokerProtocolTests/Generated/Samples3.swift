// Made by scripts/interfaces: change that script.
import BrokerProtocol
import Item
import Varlink

extension Keychain.Rename: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(
            service: source.next(), account: source.next(), kind: source.next(), newService: source.next(),
            newAccount: source.next(), reason: source.next(), unlock: source.next(),
            applicationPassword: source.next(), challenge: source.next()
        )
    }
}

extension Keychain.Lock: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self()
    }
}

extension Keychain.Unlock: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(challenge: source.next(), bind: source.next())
    }
}

extension Keychain.CreateVault: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(owner: source.next(), challenge: source.next())
    }
}

extension Keychain.AcceptVault: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(challenge: source.next())
    }
}

extension Keychain.SetAsideVault.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(owner: source.next(), stamp: source.next(), file: source.next())
    }
}

extension Keychain.SetAsideVault: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(force: source.next())
    }
}

extension Keychain.Status.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(
            vault: source.next() as Keychain.VaultState, sealer: source.next() as Keychain.Sealer,
            version: source.next(), sandbox: source.next(), locks: source.next(),
            lockedBy: source.next() as Keychain.LockCauses, warnings: source.next(),
            recovery: source.next() as Keychain.RecoveryState?, history: source.next() as Keychain.HistorySetting?,
            leases: source.next()
        )
    }
}

extension Keychain.Status: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self()
    }
}

extension Keychain.NewRecoveryCode.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(code: source.next(), part: source.next())
    }
}

extension Keychain.NewRecoveryCode: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(challenge: source.next())
    }
}

extension Keychain.ConfirmRecoveryCode.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(made: source.next())
    }
}

extension Keychain.ConfirmRecoveryCode: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(characters: source.next())
    }
}

extension Keychain.Boot: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self()
    }
}

extension Keychain.TieCoverage.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(coverage: source.next() as Keychain.BootCoverage)
    }
}

extension Keychain.TieCoverage: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(registers: source.next())
    }
}

extension Keychain.TieToBoot: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(registers: source.next(), weak: source.next(), release: source.next(), challenge: source.next())
    }
}

extension Keychain.ApproveBoot: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(replacements: source.next(), values: source.next(), challenge: source.next())
    }
}

extension Keychain.RotateAll.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(items: source.next(), passwords: source.next(), revoked: source.next())
    }
}

extension Keychain.RotateAll: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(applicationPasswords: source.next(), challenge: source.next())
    }
}

extension Keychain.Log.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(records: source.next(), more: source.next(), problem: source.next())
    }
}

extension Keychain.Log: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(since: source.next(), after: source.next())
    }
}

extension Keychain.Diagnose.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(findings: source.next())
    }
}

extension Keychain.Diagnose: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self()
    }
}

extension Keychain.VerifyLog.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(
            whole: source.next(), problem: source.next(), records: source.next(), first: source.next(),
            last: source.next()
        )
    }
}

extension Keychain.VerifyLog: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self()
    }
}

extension Login.Report.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(opened: source.next())
    }
}

extension Login.Report: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(user: source.next())
    }
}

extension VarlinkService.GetInfo.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(
            vendor: source.next(), product: source.next(), version: source.next(), url: source.next(),
            interfaces: source.next()
        )
    }
}

extension VarlinkService.GetInfo: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self()
    }
}

extension VarlinkService.GetInterfaceDescription.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(description: source.next())
    }
}

extension VarlinkService.GetInterfaceDescription: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(interface: source.next())
    }
}
