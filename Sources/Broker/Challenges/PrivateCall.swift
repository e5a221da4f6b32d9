import Authorization
import Vault

/// A call of the authenticator about a challenge that it has described. The table says for which requests a call is
/// permitted, after which other call, and how often (docs/broker-protocol.md, "What may come when").
enum PrivateCall: String, Sendable, CaseIterable {
    case companions = "Companions"
    case provision = "Provision"
    case adoptVault = "AdoptVault"
    case provideKey = "ProvideKey"
    case confirmEnrolment = "ConfirmEnrolment"
    case prepare = "Prepare"
    case complete = "Complete"
    case reseal = "Reseal"
    case resealForBoot = "ResealForBoot"
    case adoptRoots = "AdoptRoots"
    case renew = "Renew"
    case prepareSuccession = "PrepareSuccession"
    case completeSuccession = "CompleteSuccession"
    case succeed = "Succeed"
    case adoptSuccessor = "AdoptSuccessor"
    case confirmAcceptance = "ConfirmAcceptance"
    case refuse = "Refuse"

    /// How often one conversation may make a call.
    enum Frequency: Sendable { case never, once, often }

    func frequency(for request: Challenge.Request) -> Frequency {
        switch self {
        case .companions, .refuse: .often
        // The signatures themselves say which of them may still be begun.
        case .prepare, .complete: request.choice.isEmpty && !request.makesVault ? .never : .often
        case .provision, .adoptVault: request.makesVault ? .once : .never
        case .provideKey:
            if case .enrolment(let kinds) = request, kinds.contains(.biometryCurrentSet) { .once } else { .never }
        case .confirmEnrolment: request.isEnrolment ? .once : .never
        case .reseal: request.mayBind ? .once : .never
        case .resealForBoot: request.changesBoot ? .once : .never
        case .adoptRoots: request.mayBind || request.changesBoot ? .once : .never
        case .renew, .succeed, .adoptSuccessor: request.kind == .rotate ? .once : .never
        // What is signed next follows from what is signed already.
        case .prepareSuccession, .completeSuccession: request.tellsCircle ? .often : .never
        case .confirmAcceptance: request.needsNoSignature ? .once : .never
        }
    }

    /// At least one of these calls must have come before. An empty list is no condition.
    func predecessors(for request: Challenge.Request) -> [PrivateCall] {
        switch self {
        case .companions, .provision, .provideKey, .prepare, .refuse, .confirmAcceptance: []
        // These need a root that a signature has released, and that says more than a call.
        case .reseal, .resealForBoot: []
        case .adoptVault: [.provision]
        case .confirmEnrolment: Self.provideKey.frequency(for: request) == .never ? [] : [.provideKey]
        case .complete: [.prepare]
        case .renew: [.complete]
        case .adoptRoots: [.reseal, .resealForBoot]
        case .prepareSuccession, .succeed: [.renew]
        case .completeSuccession: [.prepareSuccession]
        case .adoptSuccessor: [.succeed]
        }
    }

    /// The error message for a call that the request never permits.
    var objection: String {
        switch self {
        case .companions, .refuse: "this challenge does not permit the call"
        case .prepare, .complete: "this challenge asks for no signature"
        case .provision, .adoptVault: "this challenge makes no vault"
        case .provideKey: "this challenge asks for no such key"
        case .confirmEnrolment: "this challenge binds no item to fingers"
        case .reseal: "this challenge neither binds a vault nor unbinds one"
        case .resealForBoot: "this challenge neither ties a vault to the boot nor releases one"
        case .adoptRoots: "this challenge replaces no roots"
        case .renew, .succeed, .adoptSuccessor: "this challenge renews no keys"
        case .prepareSuccession, .completeSuccession: "this challenge tells no other machine"
        case .confirmAcceptance: "this challenge takes signatures"
        }
    }
}

extension Challenge.Request {
    /// Whether the person's word alone answers it.
    var needsNoSignature: Bool { kind == .accept || kind == .joinCircle }

    fileprivate var makesVault: Bool { kind == .create }

    /// Whether keys are renewed that other machines know.
    fileprivate var tellsCircle: Bool {
        if case .rotate(let rotation) = self { rotation.circle != nil } else { false }
    }

    fileprivate var changesBoot: Bool { kind.terms.replaces == .boot }

    /// Whether the unlock root may be sealed again, with another password or with none. Opening a bound vault moves it
    /// to a changed password. A login does not, because nobody is prompted.
    fileprivate var mayBind: Bool {
        kind.terms.replaces == .password || unlocks || (kind == .unlock && !isLogin)
    }
}
