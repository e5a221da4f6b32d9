/// What each request takes: who may ask for it, which signatures, how often a person is asked, and the words. Broker and
/// authenticator both check requests by this table, and neither trusts the other's check.
extension RequestKind {
    /// The kind's row of the table.
    public var terms: Terms {
        switch self {
        case .create: Terms("Make a vault for", by: [.owner, .member, .rootForService], vault: .absent)
        case .unlock: Terms("Unlock", by: [.owner, .member, .rootForService], signs: [.unlock])
        case .read:
            Terms(
                "Read", by: [.owner, .member], items: .one, canUnlock: true, asks: .unless([.earlier, .shared, .lease]))
        case .readAll:
            Terms("Read", by: [.owner, .member], items: .several, canUnlock: true, asks: .unless([.earlier, .lease]))
        case .change:
            Terms(
                "Permanently change the requirements for reading", by: [.owner, .member], items: .one, canUnlock: true)
        case .rename: Terms("Rename", by: [.owner, .member], items: .one, canUnlock: true)
        // One member must not carry away a group's secrets.
        case .recovery:
            Terms(
                "Make a new recovery code",
                "With that code and a copy of your vault's file, anyone can read your secrets, on any machine and "
                    + "without you. Secrets that are for this device only stay closed.",
                by: [.owner], signs: [.recovery])
        // One person's password and boot belong to that person's vault only.
        case .bind:
            Terms(
                "Bind your vault to your login password", "From then on, nothing else opens it.",
                by: [.owner], vault: .unbound, signs: [.unlock], replaces: .password)
        case .unbind:
            Terms(
                "Unbind your vault from your login password", "This destroys its items of class passcode-set.",
                by: [.owner], vault: .bound, signs: [.unlock], replaces: .password)
        case .tieToBoot:
            Terms(
                "Tie your vault to the way this machine was started",
                "If you do not approve a change of firmware or kernel in advance, only the recovery code opens the "
                    + "vault after it.",
                by: [.owner], vault: .untied, signs: [.unlock, .recovery], replaces: .boot)
        case .releaseFromBoot:
            Terms(
                "Release your vault from the way this machine is started",
                "It then opens no matter how the machine was started.",
                by: [.owner], vault: .tied, signs: [.unlock, .recovery], replaces: .boot)
        case .approveBoot:
            Terms(
                "Change which ways of starting this machine open your vault", by: [.owner], vault: .tied,
                signs: [.boot])
        case .accept:
            Terms(
                "Accept the present file of the vault of",
                "The TPM has not counted this file. It may be an older copy, so this may undo deletions and changes.",
                by: [.root])
        // Members of a group cannot decide for each other.
        case .rotate:
            Terms(
                "Renew all keys of your vault",
                "Afterwards, earlier copies of its file and an earlier recovery code no longer open it.",
                by: [.owner, .rootForService], signs: [.unlock], items: .anyNumber)
        case .enrolment: Terms("Bind an item to your enrolled fingers", by: [.owner, .member], asks: .never)
        case .lease: Terms("Read", by: [.owner, .member], items: .several)
        // What is shared leaves the machine, so only the vault's person decides, and each time anew. A service has nobody,
        // and root decides for it. Its own account never does.
        case .foundCircle:
            Terms(
                "Share your vault's secrets with machines that you add later",
                "Secrets that are for this device only stay on this machine.", by: [.person, .rootForService],
                signs: [.circle])
        case .addToCircle:
            Terms(
                "Add a machine to those that share your vault's secrets",
                "It can then read them.", by: [.person, .rootForService], signs: [.circle])
        case .paperToCircle:
            Terms(
                "Make a code on paper for all that your machines share",
                "Whoever has the code and a copy of the folder can read all of it, on any machine and without you. This includes "
                    + "secrets that require you.", by: [.person], signs: [.circle])
        case .joinCircle:
            Terms(
                "Share your vault's secrets with other machines",
                "They can then read them, and change them.", by: [.person, .rootForService])
        case .removeFromCircle:
            Terms(
                "Remove from the machines that share your vault's secrets",
                "They get no later changes. What they hold stays with them. This cannot be undone.",
                by: [.person, .rootForService], signs: [.circle])
        case .releaseToCircle:
            Terms(
                "Release", "They can then read this, and ask you there each time.", by: [.person], items: .several)
        }
    }

    /// The signatures of the vault's roots, each made once.
    /// - Parameter unlocks: whether the vault is unlocked for the request.
    public func rootSignatures(unlocking unlocks: Bool) -> [AuthorizationKind] {
        (unlocks ? [.unlock] : []) + terms.signs
    }

    /// Whether such an answer replaces the question.
    public func accepts(_ answer: Answer) -> Bool {
        if case .unless(let answers) = terms.asks { answers.contains(answer) } else { false }
    }
}

extension RequestKind {
    /// One row: what the kind needs, and what the person is told.
    public struct Terms: Sendable {
        /// The words with which a prompt begins. The names of vault or items follow.
        public let words: String
        /// What follows from consent, in a sentence of its own.
        public let effect: String
        /// Who may ask for it.
        public let askers: Set<Asker>
        public let vault: VaultState
        /// The signatures of the vault's roots.
        public let signs: [AuthorizationKind]
        /// The items that it reads. Each takes the signatures of its own requirements.
        public let items: Items
        /// Whether the vault may be unlocked for it. Consent to unlocking includes nothing else.
        public let canUnlock: Bool
        public let asks: Asks
        /// The tie for which roots are released and sealed again. They open nothing then.
        public let replaces: Tie?

        fileprivate init(
            _ words: String, _ effect: String = "", by askers: Set<Asker>, vault: VaultState = .present,
            signs: [AuthorizationKind] = [], items: Items = .none, canUnlock: Bool = false, asks: Asks = .everyTime,
            replaces: Tie? = nil
        ) {
            self.words = words
            self.effect = effect
            self.askers = askers
            self.vault = vault
            self.signs = signs
            self.items = items
            self.canUnlock = canUnlock
            self.asks = asks
            self.replaces = replaces
        }
    }

    /// Somebody who may ask.
    public enum Asker: Sendable {
        /// The owner of the vault, for their own.
        case owner
        /// The owner of the vault, for their own, unless it is a service's.
        case person
        /// A member of the group that owns the vault.
        case member
        /// Root, for a vault that has nobody to ask.
        case rootForService
        /// Root, for any vault.
        case root
    }

    /// The state that the vault must be in.
    public enum VaultState: Sendable {
        case absent, present
        /// Bound to the login password, or not.
        case bound, unbound
        /// Tied to the boot, or not.
        case tied, untied
    }

    /// How many items are read.
    public enum Items: Sendable {
        case none, one, several
        /// None, too.
        case anyNumber

        /// Whether the person is shown a list.
        public var isList: Bool {
            switch self {
            case .none, .one: false
            case .several, .anyNumber: true
            }
        }
    }

    /// How often a person is asked.
    public enum Asks: Sendable, Equatable {
        case never, everyTime
        /// Every time, unless there is such an answer, and the vault is not unlocked for it.
        case unless(Set<Answer>)
    }

    /// An answer that was given to another question.
    public enum Answer: Sendable {
        /// Earlier, in the same terminal.
        case earlier
        /// To a prompt that named this request too. It may unlock the vault, because the prompt says that.
        case shared
        /// To the question for a lease.
        case lease
    }

    /// What a vault's roots are sealed to, besides the TPM.
    public enum Tie: Sendable { case password, boot }
}
