/// What a person can be asked to allow. The broker makes such a request, and the authenticator asks the person.
/// ``terms`` has what each takes.
public enum RequestKind: String, Sendable, CaseIterable {
    /// To make a vault and unlock it.
    case create
    case unlock
    /// To read one item.
    case read
    /// To read several items, all or none.
    case readAll
    /// To change for good what it takes to read an item.
    case change
    /// To give an item another name.
    case rename
    /// To make a new recovery code.
    case recovery
    /// To bind the vault to the login password, or release it from that.
    case bind, unbind
    /// To tie the vault to the way the machine was started, or release it from that.
    case tieToBoot, releaseFromBoot
    /// To change which ways of starting the machine open the vault.
    case approveBoot
    /// To accept a vault's file as the newest, although the TPM has not counted it.
    case accept
    /// To renew all keys of the vault.
    case rotate
    /// To bind an item to enrolled fingers. Nobody is asked, and nothing is signed.
    case enrolment
    /// To let a process and its descendants read several items without a prompt for a while.
    case lease
    /// To begin a circle: to share the vault's items with machines that are added later.
    case foundCircle
    /// To add a machine to the circle.
    case addToCircle
    /// To make a code on paper that reads what the circle shares.
    case paperToCircle
    /// To enter another machine's circle.
    case joinCircle
    /// To remove machines from the circle, or this one.
    case removeFromCircle
    /// To give guarded items to machines of the circle that cannot read them yet.
    case releaseToCircle

    /// The name of the purpose, on the wire and in logs. One item and several are read for the same purpose.
    public var purpose: String { self == .readAll ? RequestKind.read.rawValue : rawValue }
}
