import CofferClient
import SystemBus

// Every limit of the Secret Service: what one client may take, and how long a person is waited for.

/// What comes over the bus.
enum BusCallLimits {
    /// A larger call is refused. A secret has 1 MiB at most, and the broker's own limits are lower.
    static let message = BusMessageLimits(values: 20_000, bytes: 4 << 20, depth: 10)
    /// Calls of one client that are worked on at once.
    static let openCalls = 128
    /// Calls of one client that wait. libsecret sends one for each item of a search, without waiting for answers.
    static let waitingCalls = 10_000
    /// The bytes of these calls.
    static let waitingBytes = 16 << 20
    /// How long the second half of a rename is waited for.
    static let rename = Duration.milliseconds(50)
    /// How long a long list of items waits for further changes.
    static let longList = Duration.milliseconds(500)
    /// How long calls are still answered after another program took the name over.
    static let leaving = Duration.seconds(5)
    /// Clients whose process is remembered.
    static let clients = 4096
}

/// The secret portal.
enum PortalLimits {
    /// The bytes of a new secret, as GNOME Keyring makes them.
    static let secret = 64
    /// Requests that are not answered.
    static let requests = 64
    /// The bytes of an application's id (D-Bus Specification, "Valid Names").
    static let application = 255
}

/// Sessions and prompts.
enum ObjectLimits {
    /// Sessions of one client. Some libraries open one for each item that they read.
    static let sessionsOfClient = 1024
    /// Sessions of all clients, except for each client's share.
    static let sessions = 16_384
    /// Each client can have this many, whatever the others have. The bus limits connections.
    static let sessionShare = 16
    /// Prompts of one client that are not done.
    static let promptsOfClient = 32
    /// Prompts of all clients, except for each client's share.
    static let prompts = 1024
    /// Each client can have this many, whatever the others have.
    static let promptShare = 2
}

/// Collections and items that the vault does not count.
enum StoreLimits {
    static let collections = 64
    static let aliases = 32
    static let aliasLength = 64
    /// The `session` collection, which is in memory.
    static let transientItems = 1000
    static let transientBytes = 8 << 20
    /// A vault's own limits, for items in memory.
    static let value = ItemLimits.value
    static let attributes = ItemLimits.attributes
    static let attributeBytes = ItemLimits.attribute
    static let label = ItemLimits.label
    /// Names of items are cut off here. The vault takes 1 KiB.
    static let nameBytes = 256
    /// Items that have the same name, but for a number.
    static let sameNames = 1000
    /// How often a change is tried while other programs change the same item.
    static let attempts = 8
    /// The longest pause after the first attempt is twice as many milliseconds. It doubles with each further one.
    static let pause = 8
    /// The secrets of one answer, together. A bus need not take messages of more than 32 MiB, and an answer that is
    /// larger ends the connection.
    static let answer = 16 << 20
    /// Items that one call of the broker reads.
    static let readsAtOnce = 32
    /// With more items, a changed list of a collection's items is sent only a moment later.
    static let listedItems = 256
    /// The bytes of `/etc/machine-id`.
    static let machineID = 64
}

/// What is written to the journal.
enum ReportLimits {
    /// Reasons, each once for a program.
    static let kept = 256
}

/// How a person is asked.
public struct AskingLimits: Sendable {
    /// How long a call waits for a person. Clients of D-Bus wait for 25 seconds.
    public var answer: Duration
    /// How long a person has to open the vault. Clients wait for the prompt's signal without a limit, but other questions
    /// wait meanwhile.
    var unlocking: Duration { answer * 12 }
    /// How often a person may answer wrongly.
    public var tries: Int

    public init(answer: Duration = .seconds(24), tries: Int = 3) {
        self.answer = answer
        self.tries = tries
    }
}
