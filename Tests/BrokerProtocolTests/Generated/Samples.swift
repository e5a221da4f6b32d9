// Made by scripts/interfaces: change that script.
import BrokerProtocol
import Item
import Varlink

extension SampleSource {
    /// All types of the wire.
    static let all: [any Sampled.Type] = [
        Agent.Display.self,
        Agent.Failure.self,
        Agent.GetState.Reply.self,
        Agent.GetState.self,
        Agent.WaitForTurn.Reply.self,
        Agent.WaitForTurn.self,
        Agent.Converse.Reply.self,
        Agent.Converse.self,
        Agent.Update.Reply.self,
        Agent.Update.self,
        Agent.Stop.self,
        Authentication.Message.self,
        Authentication.Step.self,
        Authentication.Begin.self,
        Authentication.Challenge.Reply.self,
        Authentication.Challenge.self,
        Authentication.Continue.self,
        Authentication.Authorize.self,
        Authentication.Forget.Reply.self,
        Authentication.Forget.self,
        Authentication.RenewSigningKey.Reply.self,
        Authentication.RenewSigningKey.self,
        Authentication.SetAside.Reply.self,
        Authentication.SetAside.self,
        Authentication.Cancel.self,
        Authentication.Biometry.Reply.self,
        Authentication.Biometry.self,
        BrokerInterface.Authorization.self,
        BrokerInterface.NamedItem.self,
        BrokerInterface.LeaseTerms.self,
        BrokerInterface.Companion.self,
        BrokerInterface.PINIndex.self,
        BrokerInterface.Tie.self,
        BrokerInterface.SuccessionSigning.self,
        BrokerInterface.Describe.Reply.self,
        BrokerInterface.Describe.self,
        BrokerInterface.Companions.Reply.self,
        BrokerInterface.Companions.self,
        BrokerInterface.Provision<Keychain.HistorySetting>.Reply.self,
        BrokerInterface.Provision<Keychain.HistorySetting>.self,
        BrokerInterface.AdoptVault.Reply.self,
        BrokerInterface.AdoptVault.self,
        BrokerInterface.ProvideKey.Reply.self,
        BrokerInterface.ProvideKey.self,
        BrokerInterface.ConfirmEnrolment.self,
        BrokerInterface.ConfirmAcceptance.self,
        BrokerInterface.Prepare.Reply.self,
        BrokerInterface.Prepare.self,
        BrokerInterface.Complete.self,
        BrokerInterface.Reseal.Reply.self,
        BrokerInterface.Reseal.self,
        BrokerInterface.ResealForBoot.Reply.self,
        BrokerInterface.ResealForBoot.self,
        BrokerInterface.AdoptRoots.self,
        BrokerInterface.Renew.self,
        BrokerInterface.PrepareSuccession<Keychain.HistorySetting>.Reply.self,
        BrokerInterface.PrepareSuccession<Keychain.HistorySetting>.self,
        BrokerInterface.CompleteSuccession.self,
        BrokerInterface.Succeed<Keychain.HistorySetting>.Reply.self,
        BrokerInterface.Succeed<Keychain.HistorySetting>.self,
        BrokerInterface.AdoptSuccessor.self,
        BrokerInterface.Report.Reply.self,
        BrokerInterface.Report.self,
        BrokerInterface.EndLeases.self,
        BrokerInterface.Refuse.self,
        AccessControl.self,
        Keychain.AccessChange.self,
        Keychain.Field.self,
        Keychain.Item.self,
        Keychain.FormerVersion.self,
        Keychain.HistorySetting.self,
        Keychain.VaultState.self,
        Keychain.ApprovedBoot.self,
        Keychain.BootState.self,
        Keychain.Replacement.self,
        Keychain.RegisterValue.self,
        Keychain.RecoveryState.self,
        Keychain.Sealer.self,
        Keychain.LogRecord.self,
        Keychain.Change.self,
        Keychain.ChangeResult.self,
        Keychain.ItemName.self,
        Keychain.ItemValue.self,
        Keychain.LeaseState.self,
        Keychain.Event.self,
        Keychain.LockCauses.self,
        Keychain.BootCoverage.self,
        Keychain.ItemPassword.self,
        Keychain.Finding.self,
        Keychain.ItemReply.self,
        Keychain.ChangedItemReply.self,
        Keychain.ItemsReply.self,
        Keychain.VaultReply.self,
        Keychain.BootReply.self,
        Keychain.Set.Reply.self,
        Keychain.Set.self,
        Keychain.Apply.Reply.self,
        Keychain.Apply.self,
        Keychain.Get.Reply.self,
        Keychain.Get.self,
        Keychain.GetAll.Reply.self,
        Keychain.GetAll.self,
        Keychain.Lease.Reply.self,
        Keychain.Lease.self,
        Keychain.EndLeases.Reply.self,
        Keychain.EndLeases.self,
        Keychain.History.Reply.self,
        Keychain.History.self,
        Keychain.Restore.self,
        Keychain.RestoreDeleted.self,
        Keychain.SetHistory.Reply.self,
        Keychain.SetHistory.self,
        Keychain.Withdraw.self,
        Keychain.Exists.Reply.self,
        Keychain.Exists.self,
        Keychain.Show.self,
        Keychain.List.self,
        Keychain.Search.self,
        Keychain.Monitor.Reply.self,
        Keychain.Monitor.self,
        Keychain.Edit.self,
        Keychain.Rotate.self,
        Keychain.Delete.Reply.self,
        Keychain.Delete.self,
        Keychain.Rename.self,
        Keychain.Lock.self,
        Keychain.Unlock.self,
        Keychain.CreateVault.self,
        Keychain.AcceptVault.self,
        Keychain.SetAsideVault.Reply.self,
        Keychain.SetAsideVault.self,
        Keychain.Status.Reply.self,
        Keychain.Status.self,
        Keychain.NewRecoveryCode.Reply.self,
        Keychain.NewRecoveryCode.self,
        Keychain.ConfirmRecoveryCode.Reply.self,
        Keychain.ConfirmRecoveryCode.self,
        Keychain.Boot.self,
        Keychain.TieCoverage.Reply.self,
        Keychain.TieCoverage.self,
        Keychain.TieToBoot.self,
        Keychain.ApproveBoot.self,
        Keychain.RotateAll.Reply.self,
        Keychain.RotateAll.self,
        Keychain.Log.Reply.self,
        Keychain.Log.self,
        Keychain.Diagnose.Reply.self,
        Keychain.Diagnose.self,
        Keychain.VerifyLog.Reply.self,
        Keychain.VerifyLog.self,
        Login.Report.Reply.self,
        Login.Report.self,
        Sync.Machine.self,
        Sync.FormerMachine.self,
        Sync.Paper.self,
        Sync.File.self,
        Sync.Unshared.self,
        Sync.Obstacle.self,
        Sync.Revision.self,
        Sync.Conflict.self,
        Sync.Held.self,
        Sync.Releasable.self,
        Sync.Released.self,
        Sync.Exposure.self,
        Sync.Found.Reply.self,
        Sync.Found.self,
        Sync.Request.Reply.self,
        Sync.Request.self,
        Sync.Prove.Reply.self,
        Sync.Prove.self,
        Sync.Identity.Reply.self,
        Sync.Identity.self,
        Sync.Add.Reply.self,
        Sync.Add.self,
        Sync.AddPaper.self,
        Sync.Enter.Reply.self,
        Sync.Enter.self,
        Sync.Look.Reply.self,
        Sync.Look.self,
        Sync.Take.Reply.self,
        Sync.Take.self,
        Sync.Give.Reply.self,
        Sync.Give.self,
        Sync.PutBack.Reply.self,
        Sync.PutBack.self,
        Sync.Releasables.Reply.self,
        Sync.Releasables.self,
        Sync.Release.self,
        Sync.Conflicts.Reply.self,
        Sync.Conflicts.self,
        Sync.Resolve.Reply.self,
        Sync.Resolve.self,
        Sync.Exposed.Reply.self,
        Sync.Exposed.self,
        Sync.Remove.self,
        Sync.Forget.self,
        Sync.State.Reply.self,
        Sync.State.self,
        VarlinkService.GetInfo.Reply.self,
        VarlinkService.GetInfo.self,
        VarlinkService.GetInterfaceDescription.Reply.self,
        VarlinkService.GetInterfaceDescription.self,
    ]
}

extension Agent.Display: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(x11: source.next(), xauthority: source.next(), wayland: source.next())
    }
}

extension Agent.Failure: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(
            code: source.next(), message: source.next(), advice: source.next(), tpmCode: source.next(),
            cause: source.next()
        )
    }
}

extension Agent.GetState.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(pid: source.next(), place: source.next(), callers: source.next())
    }
}

extension Agent.GetState: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self()
    }
}

extension Agent.WaitForTurn.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(place: source.next())
    }
}

extension Agent.WaitForTurn: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(display: source.next() as Agent.Display?)
    }
}

extension Agent.Converse.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(failure: source.next() as Agent.Failure?)
    }
}

extension Agent.Converse: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(challenge: source.next(), connection: source.next())
    }
}

extension Agent.Update.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(place: source.next())
    }
}

extension Agent.Update: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(display: source.next() as Agent.Display)
    }
}

extension Agent.Stop: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self()
    }
}

extension Authentication.Message: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(style: source.next(), text: source.next())
    }
}

extension Authentication.Step: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(message: source.next() as Authentication.Message?, done: source.next(), step: source.next())
    }
}

extension Authentication.Begin: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(
            challenge: source.next(), channel: source.next(), code: source.next(), attested: source.next(),
            purposes: source.next()
        )
    }
}

extension Authentication.Challenge.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(challenge: source.next())
    }
}

extension Authentication.Challenge: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(code: source.next(), request: source.next(), identity: source.next())
    }
}

extension Authentication.Continue: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(answer: source.next())
    }
}

extension Authentication.Authorize: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(seconds: source.next())
    }
}

extension Authentication.Forget.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(ended: source.next(), leases: source.next())
    }
}

extension Authentication.Forget: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self()
    }
}

extension Authentication.RenewSigningKey.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(former: source.next())
    }
}

extension Authentication.RenewSigningKey: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self()
    }
}

extension Authentication.SetAside.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(record: source.next(), copy: source.next())
    }
}

extension Authentication.SetAside: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(owner: source.next(), stamp: source.next())
    }
}

extension Authentication.Cancel: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self()
    }
}

extension Authentication.Biometry.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(
            usable: source.next(), type: source.next(), reason: source.next(), advice: source.next(),
            obstacle: source.next(), currentSet: source.next()
        )
    }
}

extension Authentication.Biometry: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self()
    }
}

extension BrokerInterface.Authorization: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(kind: source.next(), setDigest: source.next(), point: source.next())
    }
}

extension BrokerInterface.NamedItem: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(
            service: source.next(), account: source.next(), kind: source.next(), version: source.next(),
            fields: source.next()
        )
    }
}

extension BrokerInterface.LeaseTerms: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(seconds: source.next(), command: source.next())
    }
}

extension BrokerInterface.Companion: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(
            digest: source.next(), service: source.next(), account: source.next(), kind: source.next(),
            fields: source.next(), reason: source.next()
        )
    }
}

extension BrokerInterface.PINIndex: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(handle: source.next(), policy: source.next())
    }
}

extension BrokerInterface.Tie: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(index: source.next() as BrokerInterface.PINIndex, registers: source.next())
    }
}

extension BrokerInterface.SuccessionSigning: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(
            signer: source.next(), keys: source.next(), statement: source.next(), nonce: source.next(),
            parameterHash: source.next()
        )
    }
}

extension BrokerInterface.Describe.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(
            owner: source.next(), vault: source.next(), purposes: source.next(), service: source.next(),
            account: source.next(), kind: source.next(), version: source.next(), fields: source.next(),
            reason: source.next(), authorizations: source.next(), alternatives: source.next(),
            lastLock: source.next(), enrolment: source.next(), items: source.next(),
            lease: source.next() as BrokerInterface.LeaseTerms?, leased: source.next(), newService: source.next(),
            newAccount: source.next(), passwordKey: source.next(), statement: source.next(), signer: source.next(),
            request: source.next(), evidence: source.next(), circle: source.next(), machines: source.next(),
            screenLocked: source.next()
        )
    }
}

extension BrokerInterface.Describe: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(
            challenge: source.next(), uid: source.next(), pid: source.next(), startTime: source.next(),
            program: source.next()
        )
    }
}

extension BrokerInterface.Companions.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(companions: source.next())
    }
}

extension BrokerInterface.Companions: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(challenge: source.next())
    }
}

extension BrokerInterface.Provision.Reply: Sampled where Record: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(record: source.next())
    }
}

extension BrokerInterface.Provision: Sampled where Record: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(challenge: source.next(), authenticatorKey: source.next())
    }
}

extension BrokerInterface.AdoptVault.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(authorizations: source.next())
    }
}

extension BrokerInterface.AdoptVault: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(challenge: source.next())
    }
}

extension BrokerInterface.ProvideKey.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(name: source.next())
    }
}

extension BrokerInterface.ProvideKey: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(challenge: source.next(), kind: source.next(), setDigest: source.next())
    }
}

extension BrokerInterface.ConfirmEnrolment: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(challenge: source.next())
    }
}

extension BrokerInterface.ConfirmAcceptance: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(challenge: source.next())
    }
}

extension BrokerInterface.Prepare.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(nonce: source.next(), parameterHash: source.next())
    }
}

extension BrokerInterface.Prepare: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(challenge: source.next(), authorization: source.next())
    }
}

extension BrokerInterface.Complete: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(
            challenge: source.next(), authorization: source.next(), signature: source.next(), means: source.next(),
            pin: source.next(), reseals: source.next()
        )
    }
}

extension BrokerInterface.Reseal.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(name: source.next(), index: source.next() as BrokerInterface.PINIndex?)
    }
}

extension BrokerInterface.Reseal: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(challenge: source.next(), pin: source.next())
    }
}

extension BrokerInterface.ResealForBoot.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(names: source.next(), boot: source.next() as BrokerInterface.Tie?)
    }
}

extension BrokerInterface.ResealForBoot: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(challenge: source.next())
    }
}

extension BrokerInterface.AdoptRoots: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(challenge: source.next())
    }
}

extension BrokerInterface.Renew: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(challenge: source.next(), authenticatorKey: source.next(), pin: source.next(), salt: source.next())
    }
}

extension BrokerInterface.PrepareSuccession.Reply: Sampled where Record: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(record: source.next(), signing: source.next() as BrokerInterface.SuccessionSigning?)
    }
}

extension BrokerInterface.PrepareSuccession: Sampled where Record: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(challenge: source.next())
    }
}

extension BrokerInterface.CompleteSuccession: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(challenge: source.next(), signature: source.next())
    }
}

extension BrokerInterface.Succeed.Reply: Sampled where Record: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(record: source.next())
    }
}

extension BrokerInterface.Succeed: Sampled where Record: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(challenge: source.next())
    }
}

extension BrokerInterface.AdoptSuccessor: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(challenge: source.next())
    }
}

extension BrokerInterface.Report.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(challenge: source.next(), vault: source.next(), authorizations: source.next())
    }
}

extension BrokerInterface.Report: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(uid: source.next(), unlocksScreens: source.next())
    }
}

extension BrokerInterface.EndLeases: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(uid: source.next())
    }
}

extension BrokerInterface.Refuse: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(challenge: source.next(), reason: source.next())
    }
}

extension Keychain.AccessChange: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(accessibility: source.next(), thisDeviceOnly: source.next(), require: source.next(), any: source.next())
    }
}

extension Keychain.Field: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(name: source.next(), kind: source.next(), set: source.next(), biometrySet: source.next())
    }
}

extension Keychain.Item: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(
            id: source.next(), service: source.next(), account: source.next(), kind: source.next(),
            label: source.next(), comment: source.next(), attributes: source.next(),
            access: source.next() as AccessControl, created: source.next(), modified: source.next(),
            expires: source.next(), version: source.next(), revision: source.next(), biometrySet: source.next(),
            fields: source.next(), deleted: source.next()
        )
    }
}

extension Keychain.FormerVersion: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(
            version: source.next(), field: source.next(), set: source.next(),
            access: source.next() as AccessControl, until: source.next()
        )
    }
}

extension Keychain.HistorySetting: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(values: source.next(), days: source.next(), bin: source.next())
    }
}

extension Keychain.VaultState: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(
            state: source.next(), since: source.next(), items: source.next(), bound: source.next(),
            boot: source.next(), counter: source.next(), protected: source.next(), service: source.next()
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
            value: source.next(), field: source.next(), fieldKind: source.next(),
            access: source.next() as Keychain.AccessChange?, label: source.next(), comment: source.next(),
            attributes: source.next(), expires: source.next(), mode: source.next(), ifRevision: source.next(),
            applicationPassword: source.next(), bin: source.next()
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
        Self(service: source.next(), account: source.next(), kind: source.next(), field: source.next())
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
            service: source.next(), account: source.next(), kind: source.next(), field: source.next(),
            fieldKind: source.next(), value: source.next(), access: source.next() as Keychain.AccessChange?,
            label: source.next(), comment: source.next(), attributes: source.next(), expires: source.next(),
            mode: source.next(), ifRevision: source.next(), applicationPassword: source.next(),
            challenge: source.next()
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
            service: source.next(), account: source.next(), kind: source.next(), field: source.next(),
            version: source.next(), revision: source.next(), reason: source.next(), unlock: source.next(),
            applicationPassword: source.next(), forOthers: source.next(), challenge: source.next()
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
            service: source.next(), account: source.next(), kind: source.next(), field: source.next(),
            version: source.next(), reason: source.next(), unlock: source.next(),
            applicationPassword: source.next(), challenge: source.next()
        )
    }
}

extension Keychain.RestoreDeleted: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(service: source.next(), account: source.next(), kind: source.next())
    }
}

extension Keychain.SetHistory.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(history: source.next() as Keychain.HistorySetting, protected: source.next())
    }
}

extension Keychain.SetHistory: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(values: source.next(), days: source.next(), bin: source.next())
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
        Self(service: source.next(), accounts: source.next(), kind: source.next(), deleted: source.next())
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
            attributes: source.next(), expires: source.next(), unset: source.next(), ifRevision: source.next(),
            reason: source.next(), unlock: source.next(), applicationPassword: source.next(),
            newApplicationPassword: source.next(), challenge: source.next()
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

extension Keychain.Delete.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(item: source.next() as Keychain.Item, until: source.next(), protected: source.next())
    }
}

extension Keychain.Delete: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(
            service: source.next(), account: source.next(), kind: source.next(), ifRevision: source.next(),
            rollback: source.next(), bin: source.next(), inBin: source.next()
        )
    }
}

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

extension Sync.Machine: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(
            device: source.next(), name: source.next(), role: source.next(), protection: source.next(),
            own: source.next(), heard: source.next(), forked: source.next(), seen: source.next(),
            agrees: source.next(), missing: source.next()
        )
    }
}

extension Sync.FormerMachine: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(
            device: source.next(), name: source.next(), protection: source.next(), left: source.next(),
            own: source.next()
        )
    }
}

extension Sync.Paper: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(device: source.next(), made: source.next())
    }
}

extension Sync.File: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(path: source.next(), content: source.next())
    }
}

extension Sync.Unshared: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(service: source.next(), account: source.next(), kind: source.next())
    }
}

extension Sync.Obstacle: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(reason: source.next(), items: source.next(), named: source.next())
    }
}

extension Sync.Revision: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(
            id: source.next(), device: source.next(), machine: source.next(), time: source.next(),
            shown: source.next(), text: source.next(), account: source.next(), expires: source.next(),
            unreadable: source.next(), same: source.next()
        )
    }
}

extension Sync.Conflict: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(
            item: source.next(), service: source.next(), account: source.next(), kind: source.next(),
            part: source.next(), name: source.next(), revisions: source.next(), beyond: source.next()
        )
    }
}

extension Sync.Held: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(device: source.next(), segments: source.next(), bytes: source.next())
    }
}

extension Sync.Releasable: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(
            service: source.next(), account: source.next(), kind: source.next(), machines: source.next(),
            signatures: source.next()
        )
    }
}

extension Sync.Released: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(service: source.next(), account: source.next(), kind: source.next())
    }
}

extension Sync.Exposure: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(
            service: source.next(), account: source.next(), kind: source.next(), fields: source.next(),
            asks: source.next()
        )
    }
}

extension Sync.Found.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(circle: source.next())
    }
}

extension Sync.Found: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(name: source.next(), challenge: source.next())
    }
}

extension Sync.Request.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(
            code: source.next(), request: source.next() as Sync.File, answer: source.next(),
            identity: source.next() as Sync.File?
        )
    }
}

extension Sync.Request: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(name: source.next(), renew: source.next())
    }
}

extension Sync.Prove.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(evidence: source.next() as Sync.File)
    }
}

extension Sync.Prove: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(challenge: source.next())
    }
}

extension Sync.Identity.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(name: source.next())
    }
}

extension Sync.Identity: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self()
    }
}

extension Sync.Add.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(path: source.next(), answer: source.next() as Sync.File?, name: source.next(), words: source.next())
    }
}

extension Sync.Add: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(
            code: source.next(), request: source.next(), evidence: source.next(), role: source.next(),
            challenge: source.next()
        )
    }
}

extension Sync.AddPaper: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(keys: source.next(), challenge: source.next())
    }
}

extension Sync.Enter.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(circle: source.next(), words: source.next(), machines: source.next())
    }
}

extension Sync.Enter: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(answer: source.next(), challenge: source.next())
    }
}

extension Sync.Look.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(wanted: source.next())
    }
}

extension Sync.Look: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(heads: source.next(), names: source.next())
    }
}

extension Sync.Take.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(
            added: source.next(), updated: source.next(), deleted: source.next(), waiting: source.next(),
            obstacles: source.next(), conflicts: source.next(), held: source.next(), unfit: source.next()
        )
    }
}

extension Sync.Take: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(heads: source.next(), segments: source.next())
    }
}

extension Sync.Give.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(files: source.next(), more: source.next(), ended: source.next())
    }
}

extension Sync.Give: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(heads: source.next(), names: source.next(), sizes: source.next())
    }
}

extension Sync.PutBack.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(files: source.next(), more: source.next())
    }
}

extension Sync.PutBack: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(device: source.next(), names: source.next(), sizes: source.next(), head: source.next())
    }
}

extension Sync.Releasables.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(items: source.next(), more: source.next())
    }
}

extension Sync.Releasables: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self()
    }
}

extension Sync.Release: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(items: source.next(), devices: source.next(), challenge: source.next())
    }
}

extension Sync.Conflicts.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(conflicts: source.next(), next: source.next())
    }
}

extension Sync.Conflicts: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(item: source.next(), after: source.next())
    }
}

extension Sync.Resolve.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(fields: source.next())
    }
}

extension Sync.Resolve: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(item: source.next(), part: source.next(), name: source.next(), take: source.next(), both: source.next())
    }
}

extension Sync.Exposed.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(items: source.next(), next: source.next())
    }
}

extension Sync.Exposed: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(device: source.next(), after: source.next())
    }
}

extension Sync.Remove: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(devices: source.next(), challenge: source.next())
    }
}

extension Sync.Forget: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self()
    }
}

extension Sync.State.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(
            circle: source.next(), machines: source.next(), former: source.next(),
            paper: source.next() as Sync.Paper?, digest: source.next(), joined: source.next(),
            pending: source.next(), waiting: source.next(), requested: source.next(), conflicts: source.next()
        )
    }
}

extension Sync.State: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(item: source.next())
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
