// Made by scripts/interfaces from Interfaces/org.coffer.Broker.varlink: change that file.
import Item
import JSON
import Varlink

/// What authenticator and broker say to each other, on the broker's private socket. Byte strings are base64. The
/// broker listens to the authenticator's uid only. The authenticator speaks to the broker's uid only. Its errors have
/// message, advice and cause as those of org.coffer.Keychain.
public enum BrokerInterface {
    /// The interface's name.
    public static let interface = "org.coffer.Broker"

    /// The interface file, word for word: what introspection gives out.
    public static let description = #"""
        # What authenticator and broker say to each other, on the broker's private socket. Byte strings are base64.
        # The broker listens to the authenticator's uid only. The authenticator speaks to the broker's uid only.
        # Its errors have message, advice and cause as those of org.coffer.Keychain.
        interface org.coffer.Broker

        # What the authenticator is to sign.
        type Authorization (
          # The policy reference's kind: unlock, presence, recovery, boot, and so on.
          kind: string,
          # The digest of the enrolled fingers, base64. It is empty but for biometry-current-set.
          setDigest: string,
          # The point that an item's key is agreed on with, base64. No other version of any item has it.
          # It is absent where no item is read.
          point: ?string
        )

        # An item, as a person knows it.
        type NamedItem (
          service: string,
          account: string,
          # It is absent if that is generic.
          kind: ?string,
          # Its former value of this version is meant, and not its present one.
          version: ?int
        )

        # What a lease is asked for, besides its items.
        type LeaseTerms (
          # How long it lasts.
          seconds: int,
          # The command that the process is about to run, in its own words.
          command: ?string
        )

        # Tells what a challenge is about.
        method Describe(
          challenge: string,
          # The authenticator's client. Its uid, pid and start time must be the challenge's own.
          uid: int,
          pid: int,
          # Field 22 of /proc/PID/stat.
          startTime: int,
          # What the client's process ran when it connected, by the kernel's word, for the access log.
          # It is left out where the authenticator could not read it.
          program: ?string
        ) -> (
          owner: string,
          # The vault's id, hex. It is absent when the vault is to be made.
          vault: ?string,
          # What the person is asked for: create, unlock, read, change, rename, recovery, bind, unbind, rotate, accept,
          # tieToBoot, releaseFromBoot, approveBoot, enrolment, lease.
          purposes: []string,
          service: ?string,
          account: ?string,
          # The item's kind. It is absent if that is generic.
          kind: ?string,
          # For purpose read: the item's former value of this version is read. It is absent for the present value.
          version: ?int,
          # The program's own words.
          reason: ?string,
          # What can be signed. Where there are items, there are of each kind but unlock no more than there are items.
          authorizations: []Authorization,
          # Each is a complete set of indexes into authorizations. One of the sets has to be met, and only one is.
          # The authenticator itself knows which PAM services that takes.
          alternatives: [][]int,
          # When the client's own vault was last locked, or the broker started, in milliseconds of CLOCK_BOOTTIME.
          # No answer that is older can be used again.
          lastLock: int,
          # For purpose enrolment: the kinds that an item is to be bound to (biometry-any, biometry-current-set).
          # Nobody is asked, and nothing is signed.
          enrolment: ?[]string,
          # For purpose rotate, for a read of several items and for a lease: all that is read, no name twice.
          # The person is shown all of them. For a read of several items and for a lease, service and account are absent.
          items: ?[]NamedItem,
          # For purpose lease.
          lease: ?LeaseTerms,
          # By the broker's records, a lease of this process or of an ancestor covers the whole request.
          # The authenticator decides by its own record.
          leased: ?bool,
          # For purpose rename: what the item is to be called from then on. With a version: what the item is called now.
          # Service and account are then the name that it had with that value. They are absent if it has that name still.
          newService: ?string,
          newAccount: ?string,
          # For a bound vault: a key made from the device root, base64, 32 bytes. Under it the authenticator remembers a
          # password that the vault is not bound to, so that nobody can guess at that password without this machine's TPM.
          passwordKey: ?string
        )

        # Another open challenge of the same process. The same proof of a person answers it.
        type Companion (
          # SHA-256 of the challenge, hex.
          digest: string,
          service: ?string,
          account: ?string,
          # As for Describe.
          kind: ?string,
          reason: ?string
        )

        # Tells what else the process of a described challenge waits for.
        # It is of the same owner, for the same purposes, by the same signatures.
        # There are 31 at most, and none but where the purposes are read, or unlock and read.
        method Companions(challenge: string) -> (companions: []Companion)

        # Makes a new vault's keys and its file. The vault is not yet in use.
        method Provision(
          challenge: string,
          # The key that the vault is to trust, base64, 65 bytes.
          authenticatorKey: string
        ) -> (
          # The registry record, as JSON.
          record: object
        )

        # After Provision, because the registry names the vault now: puts it in its place.
        method AdoptVault(challenge: string) -> (
          # What is to be signed now: unlock.
          authorizations: []Authorization
        )

        # For purpose enrolment: makes a key for enrolled fingers, unless the vault has it.
        # It is not in use before ConfirmEnrolment.
        method ProvideKey(
          challenge: string,
          # It is biometry-current-set.
          kind: string,
          # The digest of these fingers, base64, 32 bytes.
          setDigest: string
        ) -> (
          # The key's Name, base64, 34 bytes, for the registry.
          name: string
        )

        # For purpose enrolment: the item may be bound. The registry names the key, if one was needed.
        method ConfirmEnrolment(challenge: string) -> ()

        # For purpose accept: the owner has consented, and the client is root.
        method ConfirmAcceptance(challenge: string) -> ()

        # Opens the TPM session for one authorization. The TPM waits, so Complete must follow within 5 seconds.
        method Prepare(
          challenge: string,
          # Its index.
          authorization: int
        ) -> (
          # The session's, base64, 32 bytes.
          nonce: string,
          # The hash of the one command that the session is for, base64, 32 bytes.
          parameterHash: string
        )

        # Brings the signature for one authorization.
        # A wrong pin is TPM of kind wrong-password, with triesLeft. The authorization may then be prepared again, once.
        method Complete(
          challenge: string,
          # Its index.
          authorization: int,
          # r ‖ s over nonce ‖ 0 ‖ parameter hash ‖ policy reference, base64, 64 bytes.
          signature: string,
          # How the person was recognised where not by being asked for this challenge, for the access log.
          # reuse: by an earlier answer in the same terminal.
          # shared: by the prompt of another request of the same process, which named this one.
          # lease: by the answer that granted a lease. The broker checks this one by its own record.
          means: ?string,
          # For the unlock root of a bound vault: what the login password that PAM has just accepted was made into.
          # Base64, 32 bytes.
          pin: ?string,
          # Reseal or ResealForBoot follows. The vault is not opened before that is done.
          reseals: ?bool
        ) -> ()

        # An index in the TPM. It counts the tries of a bound vault's password, or holds the approved boots.
        type PINIndex (
          handle: int,
          # Base64, 32 bytes.
          policy: string
        )

        # Seals another unlock root, after Complete has released the one in use. It is in the vault beside that one.
        # It is not in use before AdoptRoots.
        method Reseal(
          challenge: string,
          # What the password was made into, base64, 32 bytes. It is left out for purpose unbind.
          pin: ?string
        ) -> (
          # The Name of the sealed root, base64, 34 bytes, for the registry.
          name: string,
          # For the registry. It is there with a pin.
          index: ?PINIndex
        )

        # What a vault is tied to the boot by.
        type Tie (
          index: PINIndex,
          # The registers that tell the boot.
          registers: []int
        )

        # Seals the roots anew that Complete has released: another unlock root, with reseals, and the recovery key.
        # For purpose tieToBoot they are tied to this boot, and for releaseFromBoot to none. They are not in use before AdoptRoots.
        method ResealForBoot(challenge: string) -> (
          # The Names by their roles in decimal (1, 2, 3; tied, 4), base64, 34 bytes each, for the registry.
          names: [string]string,
          # For the registry. It is absent where the vault is to be tied to no boot.
          boot: ?Tie
        )

        # After Reseal or ResealForBoot, because the registry names the sealed roots now: the vault is open with them.
        method AdoptRoots(challenge: string) -> ()

        # For purpose rotate, once Complete has opened the vault: makes the successor.
        # A successor that an earlier conversation has left is taken up. The items' signatures follow, then Succeed.
        method Renew(
          challenge: string,
          # The key that the successor is to trust, base64, 65 bytes.
          authenticatorKey: string,
          # Of a bound vault: what the password was made into, base64, 32 bytes.
          pin: ?string,
          # Of a bound vault: what the password was salted with, base64, 16 bytes.
          salt: ?string
        ) -> ()

        # Fills the successor, because all authorizations are complete.
        # With a record in the answer, authorization 0 is the successor's own opening. AdoptSuccessor follows when the registry names it.
        # Without one there are items left for another conversation, and this one is done.
        method Succeed(challenge: string) -> (
          # The registry record that the successor is to have, as JSON.
          record: ?object
        )

        # For purpose rotate: the registry names the successor. It is put in its place, and is open.
        method AdoptSuccessor(challenge: string) -> ()

        # Tells that a login program has let this uid in.
        # The vault is opened without a question, because one was answered already.
        method Report(
          uid: int,
          # The program is one that unlocks screens.
          # Others are refused (NotPermitted) while a graphical session of the user is locked.
          unlocksScreens: bool
        ) -> (
          # The authenticator's own, described by this very answer. It is good over this connection only, and for no client.
          # It is absent where there is nothing to open: there is no vault, or it is open.
          challenge: ?string,
          # The vault's id, hex. It is absent where there is no vault.
          vault: ?string,
          # What the challenge is good for (unlock).
          authorizations: []Authorization
        )

        # Ends all leases of this uid, because the authenticator has forgotten them.
        method EndLeases(uid: int) -> ()

        # The person failed or gave up.
        method Refuse(
          challenge: string,
          # It is password, expired, denied, tries, biometry, unavailable, cancelled, timeout or other.
          reason: string
        ) -> ()

        # The challenge is unknown, used, too old, or another process's.
        error ChallengeRefused (message: string, advice: ?string)
        # The TPM could not do it.
        error TPM (
          message: string,
          advice: ?string,
          # It is one of TPM's in org.coffer.Keychain, or wrong-password.
          kind: string,
          # The TPM's own code, or 0.
          code: int,
          # With kind wrong-password: how many more the TPM takes.
          triesLeft: ?int
        )
        # The store is damaged, or not the one that belongs here.
        error Damaged (
          message: string,
          advice: ?string,
          # It is rollback where the vault's file is an older copy, or where what counts is gone.
          kind: ?string,
          cause: ?string
        )
        # The caller may not do this.
        error NotPermitted (message: string, advice: ?string)
        # The broker could not do it, for another reason.
        error Failed (message: string, advice: ?string, cause: ?string)
        # A parameter cannot be used.
        error InvalidArgument (message: string, advice: ?string)

        """#
}
