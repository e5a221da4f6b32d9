import Item
import Vault

// Every limit of the broker: what one user, or all users together, may hold, and how long something may take. Sizes are
// in bytes. docs/broker-protocol.md ("Limits") says what a client sees beyond them. The limits of items are in
// Sources/Item/ItemLimits.swift, those of a vault's file are the vault's (Sources/Vault/Limits.swift).

/// How much of each shared resource one user may hold, and all users together (docs/broker-protocol.md, "Limits").
struct BudgetLimits: Sendable {
    /// The limits of one resource.
    struct Limit: Sendable {
        /// The most that one user may hold.
        var user: Int
        /// The most that all users together may hold.
        var all: Int
        /// The part kept for users who hold no more than `ensured`, however much others ask for.
        var reserve: Int
        /// How much a user may hold and still draw on the reserve.
        var ensured: Int

        /// The part that users who hold more than `ensured` may fill.
        var open: Int { all - reserve }
    }

    var connections: Limit
    /// Connections that monitor a vault. They are never idle, so nobody gets their places.
    var monitors: Limit
    /// Connections beyond `connections` that may only lock. So holding all others keeps no user from locking.
    var locks = Limit(user: 4, all: 64, reserve: 32, ensured: 1)
    /// Bytes of incomplete messages: eight writers of the largest value at once, and room to spare.
    var unfinished = Limit(user: 16 << 20, all: 192 << 20, reserve: 48 << 20, ensured: 3 << 20)
    /// Bytes of lists that clients have not read yet: a few of the longest lists, or many of the usual size.
    var lists = Limit(user: 48 << 20, all: 192 << 20, reserve: 64 << 20, ensured: 17 << 20)
    /// Bytes of answers with secrets that clients have not read yet: some of the largest, or as many of the usual size as
    /// a user has connections.
    var answers = Limit(user: 32 << 20, all: 128 << 20, reserve: 48 << 20, ensured: 4 << 20)
    /// Bytes of the secure heap. All of a user's connections can store the largest value that goes there at once.
    var secrets = Limit(user: 96 << 10, all: 1 << 20, reserve: 256 << 10, ensured: 4 << 10)
    /// Application passwords that wait for scrypt or are in it.
    var stretches = Limit(user: 17, all: 136, reserve: 34, ensured: 2)
    /// Open challenges. The challenge store counts them.
    static let challenges = Limit(user: 64, all: 4096, reserve: 1024, ensured: 8)

    /// The limits of the clients' socket.
    ///
    /// - Parameters:
    ///   - perUser: the most connections of one user.
    ///   - all: the most connections of all users.
    static func clients(connectionsPerUser perUser: Int, connections all: Int) -> BudgetLimits {
        BudgetLimits(
            connections: Limit(user: perUser, all: all, reserve: all / 4, ensured: min(8, perUser)),
            monitors: Limit(user: max(1, perUser / 4), all: all / 4, reserve: all / 16, ensured: 2))
    }

    /// The limits of one resource.
    subscript(resource: UserBudgets.Resource) -> Limit {
        switch resource {
        case .connections: connections
        case .monitors: monitors
        case .locks: locks
        case .unfinished: unfinished
        case .lists: lists
        case .answers: answers
        case .secrets: secrets
        case .stretches: stretches
        }
    }
}

/// The secure heap of the broker's process.
public enum SecureMemory {
    /// Its size in bytes, a power of two. Half is for users' calls and challenges together (`BudgetLimits.secrets`).
    /// The other half is for the keys of open vaults, a kilobyte each, and for OpenSSL's own secrets.
    public static let heap = 2 << 20
}

/// When the memory of a long list goes back to the kernel.
enum TrimLimits {
    /// The shortest list, or call and reply, for which that is worth the time, in bytes.
    static let long = 256 << 10
    /// How long after the answer was sent, in seconds.
    static let delay = 1.0
}

/// Items' keys that are kept beside the class keys that open them.
enum ItemKeyLimits {
    /// The most of one vault. Each takes 32 bytes of the secure heap, and counts to the user's secrets.
    static let vault = 512
}

/// One client's connection, and how fast a user may make them. The number of a user's connections is configured.
enum ConnectionLimits {
    /// How many connections all users together may have. Each takes two descriptors, and together at most half
    /// of those available.
    static let all = 1024
    /// How many descriptors the broker asks the kernel for.
    static let descriptors: UInt64 = 4096
    /// From a message's first byte to its last.
    static let message = Duration.seconds(30)
    /// For reading an answer.
    static let answer = Duration.seconds(30)
    /// How many bytes of a list go at once, at least. A system call takes longer than making a reply.
    static let together = 16 << 10
    /// For being idle, unless a person is being prompted.
    static let idle = Duration.seconds(600)
    /// For being idle if more than half of all connections are in use.
    static let crowdedIdle = Duration.seconds(15)
    /// From the beginning of a connection that may only lock to its call.
    static let lock = Duration.seconds(5)
    /// How many connections a user may make at once after a break.
    static let burst = 128
    /// The shortest time between two connections of one user, without a break.
    static let interval = Duration.milliseconds(4)
    /// How long running calls may take to finish when the broker stops.
    static let stop = Duration.seconds(5)
    /// How long connections may take to close after that.
    static let close = Duration.seconds(2)
}

/// The events that one monitor has not taken yet. Beyond these limits they are dropped, and the reader is told. Sizes are
/// of names and attributes.
enum MonitorLimits {
    /// How many events.
    static let events = 1024
    /// Their size together. The largest item takes about half of it.
    static let bytes = 512 << 10
    /// What an event takes beside its names and attributes.
    static let event = 256
    /// The size of one reply, unless a single event is larger.
    static let reply = 64 << 10
}

/// What is asked of the name service about users (`KnownUsers`, `OwnerCheck`).
enum AccountLimits {
    /// How many questions of calls are asked at the same time. The unit allows the broker 256 threads.
    static let questions = 32
    /// How many of these one user's calls ask.
    static let questionsOfOne = 4
    /// Answers older than this are looked up again. Until then, the old answer still admits a known uid.
    static let fresh = Duration.seconds(30)
    /// How long a known uid is remembered.
    static let memory = Duration.seconds(600)
    /// How long an unknown uid is remembered. A new account is known after this time.
    static let unknownMemory = Duration.seconds(2)
    /// How long the name of a vault's owner is remembered.
    static let ownerMemory = Duration.seconds(30)
    /// How many uids are remembered.
    static let entries = 4096
    /// How many connections of uids that were never known and own no vault may wait for an answer.
    static let waiting = 256
    /// Such a uid with at least so many of them may fill only half of that room.
    static let few = 8
    /// How many lookups run at the same time.
    static let workers = 4
}

/// Requests to a person that are open at the same time, and how long one stays open.
struct ChallengeLimits: Sendable {
    /// Challenges that one prompt can answer count as one.
    var openPerUser: Int
    /// Challenges that one prompt can answer. A person can be shown this many at once.
    var alike = 32
    /// Challenges of one process for the very same thing, as its threads may make.
    var same = 8
    /// All challenges of one user, and of all users.
    var all = BudgetLimits.challenges
    /// From the challenge to the last signature.
    var life: Duration
    /// From the last signature to the repeated call.
    var grantLife: Duration = .seconds(30)
    /// From a login's report to the signature. Nobody is prompted in this time.
    var reportLife: Duration = .seconds(15)

    /// How many seconds longer than its prompt a challenge lives.
    static let secondsAfterPrompt = 30
}

/// Guessing at application passwords, and stretching them.
enum GuessLimits {
    /// How many tries may begin without a wait.
    static let free = 3
    /// The longest wait before a try.
    static let longestDelay = Duration.seconds(30)
    /// Tries older than this no longer count.
    static let memory = Duration.seconds(600)
    /// How many passwords of all users are stretched at the same time. Each takes 128 MiB.
    static let stretches = 2
}

/// NV indexes of the TPM. It has room for few, and all users share it.
enum IndexLimits {
    /// What a new vault takes: its counter and its generation. Binding and tying it take one more each.
    static let vault = 2
    /// What the TPM must have left after a user has made a further vault: four first vaults of others.
    static let share = 8
}

/// Uses of the TPM.
enum SealerLimits {
    /// The most uses that may wait. More would only pile up behind a TPM that hangs.
    static let queue = 64
    /// The most of one user that may wait: the signatures of 32 conversations that one answer ends, and some calls.
    static let share = 40
    /// How long a call waits for the TPM.
    static let call = Duration.seconds(20)
    /// How long the TPM waits for a signature.
    static let signature = Duration.seconds(10)
    /// How long making keys may take, or bringing a counter forward. A slow TPM needs many seconds, and a person
    /// waits for it only once.
    static let making = Duration.seconds(60)
    /// How long a stop waits for the TPM. With the time for running calls, it must stay below the unit's
    /// `TimeoutStopSec`.
    static let stop = Duration.seconds(6)
    /// How long sleep waits for the TPM to count after the keys are gone. It must be less than logind's
    /// `InhibitDelayMaxSec`.
    static let sleep = Duration.seconds(3)
}

/// A vault's counter in the TPM. Each step writes to the TPM's memory, which wears out.
enum CounterLimits {
    /// How many steps may follow each other at once.
    static let steps = 60
    /// The time after which another step becomes free.
    static let pace = Duration.seconds(20)
    /// How long written changes may stay without an advance of the epoch.
    static let advanceDelay = Duration.seconds(10 * 60)
    /// How long to wait after the TPM failed to count, before asking again.
    static let retryDelay = Duration.seconds(60)
    /// How often a change begins again because others came between it and the counter.
    static let attempts = 16
}

/// What keeps a vault open, and how long.
enum LockLimits {
    /// The idle limit that replaces "never" while logind should be heard, but is not.
    static let idleUnheard = Duration.seconds(15 * 60)
    /// How long vaults stay open after the connection to logind is lost.
    static let grace = Duration.seconds(60)
    /// How long a login waits for logind's first answer. The login itself may have started the broker.
    static let firstLook = Duration.seconds(1)
    /// How long, at most, a group's keys stay in memory after a removal left nobody who may use them.
    static let groupWatch = Duration.seconds(60)
    /// The pause after logind's first failure. Each further one doubles it.
    static let firstPause = Duration.milliseconds(250)
    /// The longest pause before logind is asked again.
    static let longestPause = Duration.seconds(60)
}

/// Deleting items after they expired.
enum SweepLimits {
    /// How long after its expiry an item is deleted, in milliseconds. Until then a new time brings it back.
    static let age: UInt64 = 30 * 86_400_000
    /// The most items that are deleted in one step. Between two steps, other calls have their turn.
    static let atOnce = 64
    /// How long after the opening of a vault the first sweep begins.
    static let delay = Duration.seconds(60)
    /// How long after a full step the next one begins.
    static let pause = Duration.seconds(10)
    /// How long after a sweep the next one begins.
    static let interval = Duration.seconds(24 * 3600)
}

/// Several changes in one call.
enum ApplyLimits {
    /// The most changes. The secure heap has room for a value with each, even for a user's every call.
    static let changes = ItemLimits.changes
    /// The most application passwords that one call stretches.
    static let passwords = 16
    /// The most items that the access log names one by one. It counts the others.
    static let records = 256
}

/// The renewal of all keys.
enum RenewalLimits {
    /// The most items that one prompt can name.
    static let items = 32
    /// The most signatures of one prompt. A single item never takes so many.
    static let signatures = 96
    /// The room for their names in the prompt, in characters. One of the longest names fits, even if every byte is
    /// escaped.
    static let names = 16_000
    /// The most application passwords that one call stretches.
    static let passwords = 16
    /// How many items are sealed again in one step. Between two steps, other calls have their turn.
    static let atOnce = 64
    /// How long a call waits until the registry has decided between the two vaults.
    static let decision = Duration.milliseconds(VaultLimits.decisionTime)
}

/// A read of several items under one challenge.
enum JointReadLimits {
    /// The most items that one prompt can name.
    static let items = ItemLimits.reads
    /// The most signatures of items. Each is a use of the TPM, which takes a second or more on a slow machine. If the
    /// person answers in the last moment, the authenticator has a minute for all of them.
    static let signatures = 32
    /// The room for the names and the reason in the prompt, in characters.
    static let room = 16_000
    /// The room that a line takes besides the names, in characters.
    static let line = 40
    /// The room in the answer for what is around an item and its value, in bytes.
    static let frame = 64
}

/// Leases: reads by one process and its descendants, without a prompt. Root sets the longest time.
enum LeaseLimits {
    /// The most leases of one user.
    static let perUser = 16
    /// The most leases of all users together. Each keeps one descriptor open.
    static let all = 512
    /// The longest command that a lease's process can name, in bytes.
    static let command = 256
}

/// A recovery code that was given out and is not valid yet.
enum RecoveryLimits {
    /// The time from the code to its confirmation, in which the person writes it down.
    static let life = Duration.seconds(600)
    /// How often a wrong part of it may be typed back.
    static let tries = 5
}

/// What is recorded in the access log, and when. The size of the log is the vault's.
enum LogLimits {
    /// The longest name of a program, in bytes. A path can be this long.
    static let program = 4096
    /// The longest control group, in Unicode scalars.
    static let group = 1024
    /// How many refusals can be recorded at once.
    static let refusals = 64
    /// After each such time, one more can be recorded.
    static let refusalPause = Duration.seconds(10)
    /// How long a count of refusals, or of calls, waits until it is told.
    static let countDelay = Duration.seconds(60)
    /// How many calls of one user the broker's own log names at once.
    static let calls = 60
    /// After each such time, it names one more.
    static let callPause = Duration.seconds(1)
    /// How many refused users that log names in a while.
    static let refusedUsers = 64
    /// How long a record of an ungated read may wait for the disk.
    static let delay = Duration.seconds(10)
    /// The most records that wait until the vault is opened.
    static let unopened = 64
}

/// The boot that a vault is tied to, and the files that are measured.
enum BootLimits {
    /// The firmware's log.
    static let log = 4 << 20
    /// One file that the log names. A larger one is not read.
    static let file = 64 << 20
    /// How many files that the log names are read.
    static let files = 64
    /// What one update may replace.
    static let replacements = 64
    /// The digests that one of these may have.
    static let digests = 1...8
}

/// What `coffer doctor` has looked at.
enum DiagnosisLimits {
    /// With less than so many bytes free, the disk is called nearly full. A vault's file grows by pages, and its log by records.
    static let room: UInt64 = 4 << 20
    /// For checking the whole vault. Other calls of its owner can wait this long.
    static let vault = Duration.seconds(5)
    /// How far the clock may be behind the vault's last change, in milliseconds. Small corrections are normal.
    static let clock: UInt64 = 60_000
    /// The first uid of people. Accounts of services are below it (UID_MIN of login.defs(5)).
    static let firstPerson: UInt32 = 1000
    /// How deep PAM's files may include each other. This is libpam's own limit.
    static let pamDepth = 16
    /// The most ways through a PAM stack that are followed.
    static let pamStates = 100_000
    /// One of the kernel's files about the broker.
    static let kernelFile = 1 << 16
    /// One of PAM's files.
    static let pamFile = 1 << 16
    /// One file of certificates that root trusts.
    static let certificateFile = 1 << 16
    /// How many of these are read.
    static let certificateFiles = 256
}

/// Sharing with other machines.
enum SharingCallLimits {
    /// The heads or segments of one call.
    static let files = 2048
    /// The code of a machine that is added, in any spelling, in bytes.
    static let code = 128
    /// The names of machines that the authenticator is given for a prompt. It shows fewer.
    static let names = 512
    /// The machines that a person is asked to remove at once. The prompt shows each of them.
    static let removals = 16
    /// The guarded items of one answer that others cannot read yet.
    static let releasables = 1000
    /// The files of one answer, in bytes before they are encoded. One file always fits.
    static let answer = 1 << 20
}
