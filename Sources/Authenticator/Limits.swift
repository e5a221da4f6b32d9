import BrokerProtocol
import Item

// Every limit of the authenticator: how much it takes from others, and how long something may take. Sizes are in bytes
// unless a line says otherwise. docs/broker-protocol.md ("Limits") says what a client sees beyond them.

/// Conversations with clients.
enum ConversationLimits {
    /// Conversations of all users together.
    static let total: Int64 = 256
    /// Places within the total that are kept for users who have almost none. Users at their own limit leave these free.
    static let kept: Int64 = 64
    /// How many conversations of each user may use the kept places.
    static let first: Int64 = 2
    /// The least limit for one user. One program may have several conversations, for requests that one prompt answers.
    static let leastOfUser = 32
    /// How long a client may take to send its Begin.
    static let begin = Duration.seconds(10)
    /// How long PAM modules may take to end properly after they were interrupted.
    static let interruption = Duration.milliseconds(500)
}

/// The server's processes.
enum ServerLimits {
    /// The most processes of conversations. This is more than the limit on conversations, because refused ones also take
    /// a process for a moment.
    static let processes = Int(ConversationLimits.total) + 64
    /// How many conversations a user may begin at once after a break. This is more than may be open at the same time.
    static let burst = 64
    /// The shortest time between two conversations of one user, without a break. Reading an item in the TPM takes longer.
    static let interval = Duration.milliseconds(20)
    /// The most connections of all users that wait for their turn. Those who connect slowly do not wait.
    static let waiting = 256
    /// The most logins that are reported at the same time. Only root can make them, and each takes a moment.
    static let reports = 32
    /// How long conversations may take to end after the server is told to.
    static let stop = Duration.seconds(3)
    /// A conversation that lasts this long after its time limit hangs in a module and is killed.
    static let grace = Duration.seconds(60)
    /// A server that a connection started ends after this long without one. The next connection starts it again.
    static let idle = Duration.seconds(60)
}

/// What a client sends, and takes.
enum ClientLimits {
    /// The longest time in the names of files that were set aside, in bytes.
    static let stamp = 32
    /// The longest call that is accepted. It has room for the longest answer with each byte escaped.
    static let call = 8 << 10
    /// The code of a machine that is added, in any spelling, in bytes.
    static let joinCode = 128
    /// How long a client may take to send the rest of a call.
    static let rest = Duration.seconds(5)
    /// The same while its last call has no answer yet. Only Cancel may come then, and it comes in one piece.
    static let interjection = Duration.milliseconds(200)
    /// How many calls may come in a conversation that do not belong to it.
    static let asides = 16
    /// The length of a challenge.
    static let challenge = 1...LoginWire.longestChallenge
    /// How long a client may take for an answer.
    static let answer = Duration.seconds(2)
}

/// Root's list of machines.
enum MachineListLimits {
    /// The longest file that is read: some ten thousand machines.
    static let file = 1 << 20
    /// The length of a Name.
    static let name = 34
}

/// The report of a login, by `pam_coffer`.
enum LoginLimits {
    /// How long the module may take to send its call. It sends the call at once.
    static let call = Duration.seconds(2)
    /// How long the module may take for the answer.
    static let answer = Duration.seconds(1)
}

/// Calls to the broker.
enum BrokerLimits {
    /// The longest answer that is accepted; a registry record has about 2 KiB.
    static let answer = 64 << 10
    /// How long connecting may take.
    static let connect = Duration.seconds(5)
    /// A call that needs no TPM.
    static let call = Duration.seconds(10)
    /// Telling that a request has failed. Without that, its challenge expires by itself.
    static let refusal = Duration.seconds(1)
    /// A call that waits for the TPM.
    static let sealing = Duration.seconds(60)
    /// Making a vault's keys.
    static let making = Duration.seconds(120)
    /// Filling the successor of a vault.
    static let filling = Duration.seconds(300)
    /// The time from the broker's offer to the registry's change. It is well below the time for which a restarted broker
    /// waits for the decision.
    static let decision = Duration.seconds(12)
    /// The longest context of a storage key in a record that the broker proposes.
    static let context = 4096
    /// How far a new record's time may be from now, in seconds.
    static let recordAge: Double = 600
}

/// Failed answers, which slow down the next ones.
enum AttemptLimits {
    /// This many failures cause no delay.
    static let free = 3
    /// Failures older than this no longer count. In milliseconds.
    static let memory: Int64 = 600_000
    /// The longest delay, in milliseconds. A person who mistypes still gets in; a program that guesses makes little
    /// progress.
    static let longestDelay: Int64 = 30_000
    /// More failures than this make no difference.
    static let failures = 1000
    /// The file that counts them, one for each user.
    static let file = 4096
    /// The most programs of one user whose wrong answers are told apart.
    static let programs = 256
}

/// Lines in the log about conversations that nobody has answered. Users cause them without end.
enum JournalLimits {
    /// How many one user causes at once after a break.
    static let burst = 64
    /// The time between two of one user, without a break.
    static let interval = Duration.seconds(1)
    /// How many all users together cause at once after a break.
    static let commonBurst = 256
    /// The time between two of all users, without a break.
    static let commonInterval = Duration.milliseconds(250)
    /// The most users who are told apart.
    static let users = 1024
}

/// What a prompt shows, in characters (Unicode scalars). Longer text is cut off, or nobody is asked.
enum PromptLimits {
    /// A message of a PAM module.
    static let message = 2048
    /// The whole text about a request. An item that does not fit is left out whole and gets a prompt of its own.
    static let notice = 20_000
    /// The most items that one prompt names.
    static let items = 32
    /// The longest name of an item, in bytes (docs/broker-protocol.md, "Limits").
    static let name = ItemLimits.name
    /// The longest reason, in bytes.
    static let reason = ItemLimits.reason
    /// A program's own words about its request, in columns. A reason of 512 bytes takes fewer, unless it has characters that are spelt out.
    static let claim = 720
    /// A program's name, and its path in the journal. The access log has the whole path.
    static let program = 200
    /// A terminal's or a session's name.
    static let place = 32
    /// The broker's word for a failure of the TPM.
    static let kind = 32
    /// The name of a vault's owner.
    static let owner = 64
    /// A fingerprint template's file name.
    static let template = 120
    /// The names of machines that one prompt shows.
    static let machines = 16
    /// The hexadecimal digits of a machine's id that a prompt shows beside its name.
    static let deviceDigits = 8
}

/// The notification on a person's desktop.
enum NotificationLimits {
    /// The longest order to the helper process.
    static let order = 32 << 10
    /// The text, in characters (Unicode scalars); a desktop shows no more.
    static let body = 1000
    /// How long the order may take to come, and each call on the session bus.
    static let call = Duration.seconds(1)
    /// How long removing it may take.
    static let removal = Duration.seconds(1)
}

/// One answer for several requests that wait at the same time.
enum SharingLimits {
    /// How long an answer counts for the requests that were shown, in milliseconds.
    static let memory: Int64 = 10_000
    /// More prompts than one user can have open at once.
    static let prompts = 128
}

/// One answer for the requests of the next minutes.
enum ReuseLimits {
    /// The longest time for which an answer can be used again, in seconds.
    static let seconds = 300
    /// The longest possible lifetime of a record, with the time that the conversation can have taken, in milliseconds. A
    /// file with a longer one was not written here.
    static let lifetime = Int64(seconds + 600) * 1000
    /// The most answers kept for one user, each for one terminal.
    static let answers = 16
}

/// Leases: reads by one process and its descendants, without a prompt.
enum SignedLeaseLimits {
    /// The longest time of a lease, in seconds.
    static let seconds = 43_200
    /// The longest possible lifetime of a record, with the time that the conversation can have taken, in milliseconds. A
    /// file with a longer one was not written here.
    static let lifetime = Int64(seconds + 600) * 1000
    /// The most leases of one user.
    static let perUser = 16
}

/// Fingerprint readers, and the templates of enrolled fingers.
enum BiometryLimits {
    /// A call to fprintd. The first one starts it, and it then searches for readers.
    static let call = Duration.seconds(5)
    /// No machine has more readers.
    static let readers = 16
    /// The most files in the templates' folder, at all depths.
    static let files = 256
    /// The most bytes in one file.
    static let file = 1 << 20
    /// The most bytes in all files.
    static let all = 16 << 20
    /// The most folders within folders; fprintd uses two, for driver and device.
    static let depth = 6
}

/// The authenticator's own files.
enum FileLimits {
    /// A signing key.
    static let key = 8192
    /// A file that keeps answers or prompts.
    static let state = 256 << 10
}
