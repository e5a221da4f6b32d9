extension InterfaceText {
    /// docs/org.coffer.Broker.varlink, word for word.
    static let broker = #"""
        # Between authenticator and broker, on the broker's private socket. The broker takes it from the authenticator's uid only; the authenticator speaks to the broker's uid only.
        interface org.coffer.Broker

        # kind: the policy reference's kind (unlock, presence, recovery, boot, …). setDigest: base64, empty but for biometry-current-set.
        type Authorization (kind: string, setDigest: string)

        type NamedItem (service: string, account: string)

        # What a challenge is about. uid, pid and startTime (field 22 of /proc/PID/stat) are those of the authenticator's client; they must be the challenge's own.
        # purposes: create, unlock, read, change, rename, recovery, bind, unbind, rotate, accept, tieToBoot, releaseFromBoot, approveBoot, enrolment. vault: hex, absent when it is to be made.
        # alternatives: each a complete set of indexes into authorizations; one of them has to be met, and only one is. Which PAM services that takes is the authenticator's own knowledge.
        # lastLock: when the client's own vault was last locked, or the broker started; milliseconds of CLOCK_BOOTTIME. No answer that is older can be used again.
        # program: what the client's process ran when it connected, by the kernel's word, for the access log; left out where it could not be read.
        # enrolment: for that purpose, the kinds that an item is to be bound to (biometry-any, biometry-current-set): nobody is asked, and nothing is signed.
        # items: for purpose rotate, all that is read for it, no name twice; of each kind but unlock no more authorizations than there are items.
        # newService, newAccount: for purpose rename, what the item is to be called.
        method Describe(challenge: string, uid: int, pid: int, startTime: int, program: ?string) -> (
          owner: string, vault: ?string, purposes: []string, service: ?string, account: ?string, reason: ?string,
          authorizations: []Authorization, alternatives: [][]int, lastLock: int, enrolment: ?[]string, items: ?[]NamedItem,
          newService: ?string, newAccount: ?string)

        # Another open challenge of the same process that the same proof of a person answers. digest: SHA-256 of the challenge, hex.
        type Companion (digest: string, service: ?string, account: ?string, reason: ?string)

        # What else the process of a described challenge waits for: of the same owner, for the same purposes, by the same signatures; 31 at most. None but where the
        # purposes are read, or unlock and read.
        method Companions(challenge: string) -> (companions: []Companion)

        # A new vault: the broker makes its keys and its file, not yet in use. record: the registry record, as JSON.
        method Provision(challenge: string, authenticatorKey: string) -> (record: object)

        # The record is in the registry: the vault is put in its place. authorizations: what is to be signed now (unlock).
        # After Reseal or ResealForBoot: the registry names the other unlock root, and the vault is open with it; nothing is to be signed for that.
        # For purpose accept: the owner has consented, and the client is root; nothing is to be signed.
        # For purpose rotate: the registry names the successor, which is in its place and open; nothing is to be signed.
        # For purpose enrolment: the item may be bound, and the registry names the key where one was needed; nothing is to be signed.
        method Adopt(challenge: string) -> (authorizations: []Authorization)

        # For purpose enrolment: the key of the fingers with this digest (base64, 32 bytes), made unless the vault has it, and not in use before Adopt. kind:
        # biometry-current-set. name: the key's Name, for the registry.
        method ProvideKey(challenge: string, kind: string, setDigest: string) -> (name: string)

        # Opens the TPM session for the authorization with this index. The TPM waits: Complete must follow within 5 seconds. Base64, 32 bytes each.
        method Prepare(challenge: string, authorization: int) -> (nonce: string, parameterHash: string)

        # signature: base64 of r ‖ s, 64 bytes, over nonce ‖ 0 ‖ parameter hash ‖ policy reference.
        # means: how the person was recognised where not by being asked for this challenge: reuse (an earlier answer in the same terminal), shared (the prompt of
        # another request of the same process, which named this one). For the access log.
        # pin: for the unlock root of a bound vault, base64, 32 bytes: what the login password that PAM has just accepted was made into. A wrong one is TPM, kind
        # wrong-password, with triesLeft; the authorization may then be prepared again, once. reseals: Reseal follows, and nothing is opened before.
        method Complete(challenge: string, authorization: int, signature: string, means: ?string, pin: ?string, reseals: ?bool) -> ()

        # What counts the tries of a bound vault's password, or holds the approved boots. policy: base64, 32 bytes.
        type PINIndex (handle: int, policy: string)

        # Another unlock root in the place of the one that Complete has released: under this PIN (base64, 32 bytes), or without one for purpose unbind. It is in the vault
        # beside the one in use, not in use before Adopt. name: base64, 34 bytes; name and index are for the registry.
        method Reseal(challenge: string, pin: ?string) -> (name: string, index: ?PINIndex)

        # What a vault is tied to the boot by.
        type Tie (index: PINIndex, registers: []int)

        # The roots that Complete has released (the unlock root with reseals, and the recovery key) sealed anew, under another unlock root: for purpose tieToBoot tied to this
        # boot, for releaseFromBoot to none. Not in use before Adopt. names: by their roles in decimal (1, 2, 3; tied, 4), base64, 34 bytes each; they and boot are for the registry.
        method ResealForBoot(challenge: string) -> (names: [string]string, boot: ?Tie)

        # For purpose rotate, once Complete has opened the vault: the broker makes the successor under this key (base64, 65 bytes), or takes up what an earlier conversation
        # has left. pin, salt: of a bound vault, base64, 32 and 16 bytes.
        method Renew(challenge: string, authenticatorKey: string, pin: ?string, salt: ?string) -> ()

        # All authorizations are complete: the successor is filled. record: the registry record that it is to have; then authorization 0 is its own opening, and Adopt
        # follows when the registry names it. Without one there are items left for another conversation, and this one is done.
        method Succeed(challenge: string) -> (record: ?object)

        # A login program has let this uid in. challenge: the authenticator's own, described by this very answer, good for these authorizations (unlock) over this
        # connection only, and for no client. Absent where there is nothing to open: there is no vault, or it is open.
        # unlocksScreens: the program is one that unlocks screens; others are refused (NotPermitted) while a graphical session of the user is locked.
        method Report(uid: int, unlocksScreens: bool) -> (challenge: ?string, vault: ?string, authorizations: []Authorization)

        # The person failed or gave up. reason: password, expired, denied, tries, cancelled, timeout, other.
        method Refuse(challenge: string, reason: string) -> ()

        error ChallengeRefused (message: string)
        # triesLeft: with kind wrong-password, how many more the TPM takes.
        error TPM (message: string, kind: string, code: int, triesLeft: ?int)
        # kind: rollback where the vault's file is an older copy, or what counts is gone.
        error Damaged (message: string, kind: ?string)
        error NotPermitted (message: string)
        error Failed (message: string)
        error InvalidArgument (message: string)

        """#
}
