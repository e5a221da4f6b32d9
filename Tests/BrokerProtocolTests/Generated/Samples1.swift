// Made by scripts/interfaces: change that script.
import BrokerProtocol
import Item
import Varlink

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
        Self(challenge: source.next(), channel: source.next())
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
        Self(service: source.next(), account: source.next(), kind: source.next(), version: source.next())
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
            reason: source.next()
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

extension BrokerInterface.Describe.Reply: Sampled {
    static func sample(_ source: inout SampleSource) -> Self {
        Self(
            owner: source.next(), vault: source.next(), purposes: source.next(), service: source.next(),
            account: source.next(), kind: source.next(), version: source.next(), reason: source.next(),
            authorizations: source.next(), alternatives: source.next(), lastLock: source.next(),
            enrolment: source.next(), items: source.next(), lease: source.next() as BrokerInterface.LeaseTerms?,
            leased: source.next(), newService: source.next(), newAccount: source.next(), passwordKey: source.next()
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
