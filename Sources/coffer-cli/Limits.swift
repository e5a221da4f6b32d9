import Circle
import Coffer

// Every limit of the command line. The broker has the last word: its limits are in docs/broker-protocol.md ("Limits").
// Here they make an error come before anybody is asked.

/// Names in arguments, in bytes of UTF-8. What an item can have is in Sources/Item/ItemLimits.swift.
enum TextLimits {
    /// How many slashes SERVICE/ACCOUNT in one word can have. A word with more counts as a service.
    static let slashes = 16
    /// How many colons of an account are tried as the one before a field's name.
    static let colons = 16
}

/// The agent's callers.
enum AgentLimits {
    /// How many programs may be connected at once.
    static let connections = 32
    /// The bytes of one call.
    static let call = 32_768
    /// The bytes of a challenge.
    static let challenge = 1...256
    /// How long a caller may say nothing.
    static let rest = Duration.seconds(60)
    /// How long a caller whose turn it is may say nothing.
    static let turn = Duration.seconds(10)
    /// How long sending an answer may take.
    static let answer = Duration.seconds(5)
    /// How long an agent that a program has started runs without callers.
    static let idle = Duration.seconds(60)
}

/// Numbers and times in arguments.
enum NumberLimits {
    /// The characters of a generated password.
    static let passwordLength = 8...1024
    /// The words of a generated password.
    static let passwordWords = 4...64
    /// The digits of a generated PIN.
    static let pinLength = 4...64
    /// The seconds until the clipboard is cleared.
    static let clipboardSeconds = 1...3600
    /// The seconds for which an answer can be used again (`coffer auth --for`).
    static let answerSeconds = 300
    /// The seconds that a lease can last (`coffer run --lease`). Root may allow fewer.
    static let leaseSeconds = 43_200
    /// The seconds from now to an expiry: 1,000 years.
    static let expirySeconds: Double = 1000 * 31_557_600
}

/// What is typed or piped, in bytes.
enum InputLimits {
    /// A value.
    static let value = ItemLimits.value
    /// A recovery code, far more than one with any spacing has.
    static let recoveryCode = 512
    /// How often a recovery code can be typed.
    static let recoveryTries = 3
    /// The code of a machine that joins, far more than one with any spacing has.
    static let joinCode = 512
    /// How often such a code can be typed.
    static let joinCodeTries = 3
    /// The code on paper of a circle, far more than one with any spacing has.
    static let paperCode = 512
    /// How often such a code can be typed.
    static let paperCodeTries = 3
    /// The fewest characters of a new passphrase. age makes each try cost a second; five common words still take thousands of years.
    static let shortestPassphrase = 12
    /// How often the passphrase of an export can be typed.
    static let passphraseTries = 3
    /// A file with identities of age.
    static let identityFile = 64 << 10
    /// The answer to a question of yes or no.
    static let confirmation = 8
}

/// Waiting for files of other machines.
enum FileWaitLimits {
    /// How long the request of a machine that joins is waited for. Syncthing takes about 10 seconds.
    static let request: Duration = .seconds(600)
}

/// Machines that join by an invitation.
enum InvitationLimits {
    /// How many machines one lets in: as many as a circle can have.
    static let guests = 1...1024
    /// For how long it lets machines in, if root does not say: a day.
    static let seconds = 86_400.0
    /// What root's machine keeps of one, in bytes.
    static let file = 1 << 20
    /// The digits of its name.
    static let name = 12
    /// What its file has besides the text: an end of line.
    static let text = Invitation.textCount + 2
    /// Strange files that are looked at in one go. What is strange is looked at once.
    static let strange = 1024
    /// Between two looks for machines, in a folder and elsewhere.
    static let pause: (near: Duration, far: Duration) = (.seconds(2), .seconds(10))
}

/// Waiting until other machines have taken something in.
enum WaitingLimits {
    /// How many seconds a person can wait for.
    static let seconds = 1...604_800
    /// Between two looks.
    static let pause: Duration = .seconds(2)
}

/// The user's service manager.
enum ServiceLimits {
    /// How long it may take to start or stop a service.
    static let systemctl: Duration = .seconds(30)
}

/// The clipboard.
enum ClipboardLimits {
    /// The longest value for a terminal's clipboard, in bytes. Its Base64 has 100,000, which xterm takes.
    static let terminal = 74_994
}

/// Editing a value.
enum EditingLimits {
    /// How long the removal of an editor's file may take.
    static let cleaning: Duration = .seconds(10)
}

/// What `cofferd helper` answers, in bytes.
enum HelperLimits {
    /// The longest list of an old vault: as many items as a vault can have, with all their fields.
    static let list = 64 << 20
    /// What is said to a file.
    static let receipt = 4096
    /// The longest value in Base64, with the item's other fields.
    static let value = 4 << 20
    /// A part of an encrypted file in Base64.
    static let part = 128 << 10
    /// Two digests and their names.
    static let digests = 1024
    /// A one-time password.
    static let oneTimePassword = 256
}

/// References to secrets, and the commands that resolve them.
enum ReferenceLimits {
    /// A reference, in bytes: more than the longest names take when every byte of them is percent-encoded.
    static let length = 8192
    /// The secrets that one command reads.
    static let secrets = 1024
    /// The secrets that one prompt can name, and one call can read.
    static let prompt = ItemLimits.reads
    /// The variables of one program.
    static let variables = 4096
    /// A file of variables, in bytes.
    static let variableFile = 1 << 20
    /// A variable with its name, in bytes. The kernel takes no more (MAX_ARG_STRLEN), and counts the zero at the end.
    static let variable = 131_071
    /// A text to be filled in, in bytes.
    static let template = 1 << 20
    /// A text that was filled in, in bytes.
    static let filledText = 64 << 20
    /// The secrets that can be masked, together and with their lines, in bytes. Each byte takes about 24 of memory.
    static let masked = 2 << 20
}

/// The password store of pass(1).
enum PasswordStoreLimits {
    /// The deepest folder.
    static let depth = 16
    /// The largest file, in bytes: what a pipe takes.
    static let file = 65_536
    /// The longest decrypted text, in bytes.
    static let text = 2 << 20
}

/// What goes into one call to the broker.
enum BatchLimits {
    /// The most items of one `GetAll`.
    static let reads = ItemLimits.reads
    /// The most changes of one `Apply`.
    static let changes = ItemLimits.changes
    /// The most bytes of changes. A message has 2 MiB at most.
    static let bytes = 3 << 19
}
