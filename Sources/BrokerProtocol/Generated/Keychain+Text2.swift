// Made by scripts/interfaces from Interfaces/org.coffer.Keychain.varlink: change that file.
import Varlink

extension Keychain {
    static let text2 = #"""
        # Ties the vault to the boot that the machine was started with, or lets go of it.
        # Failed is the answer where there is no recovery code, and AlreadyExists where the vault is tied already.
        method TieToBoot(
          # Of the TPM's SHA-256 bank, 0 to 22 but 16. It is left out as for TieCoverage.
          registers: ?[]int,
          # True ties the vault although the command line is not held. The answer is Failed otherwise.
          weak: ?bool,
          # True lets go of the boot.
          release: ?bool,
          challenge: ?string,
          group: ?string,
          user: ?string
        ) -> (boot: ?BootState)

        # Approves a boot to come, beside those that are approved.
        # With neither replacements nor values it approves this boot, and no other any more.
        method ApproveBoot(
          # The present boot with other measurements. Each group is one file's.
          # One of a group's digests at least was measured in this boot.
          replacements: ?[][]Replacement,
          # The boot with these values in its registers. A register that is left out stays as it is now.
          values: ?[]RegisterValue,
          challenge: ?string,
          group: ?string,
          user: ?string
        ) -> (boot: ?BootState)

        # An item's application password, for a call that is about several items.
        type ItemPassword (
          # The item's id.
          item: string,
          # Base64.
          password: string
        )

        # Renews all keys of the vault. Another vault with the same items takes its place. A group's vault is refused.
        # Repeated with its challenge the call may ask once more, for items that one prompt could not name.
        method RotateAll(
          # Of the items that have one, all of them.
          applicationPasswords: ?[]ItemPassword,
          challenge: ?string,
          group: ?string,
          user: ?string
        ) -> (
          # How many items were sealed anew. It is absent where nothing was done.
          items: ?int,
          # The items whose application password must come with the call. Nothing was done if there are any.
          passwords: []Item,
          # The TPM has let go of the keys before. Otherwise that is tried again whenever the vault is opened.
          revoked: bool
        )

        # Tells the access log of the caller's vault, the older records first, some hundreds at a time.
        method Log(
          # Only records from this time on.
          since: ?int,
          # Only records behind the one with this number.
          after: ?int,
          group: ?string,
          user: ?string
        ) -> (
          records: []LogRecord,
          # There are more. Call again with the last record's number.
          more: bool,
          # What is wrong with the log, for people to read.
          problem: ?string
        )

        # What was found at one check.
        type Finding (
          # A stable name (docs/doctor.md). A newer broker may know more of them.
          check: string,
          # It is ok, note (nothing to mend) or problem.
          verdict: string,
          # For people to read.
          message: string,
          # What to do, for people to read.
          advice: ?string
        )

        # Looks at the TPM, the broker's process and files, the PAM services and the clock.
        # It checks every row of the caller's vault.
        # The answer has nothing of another user's, and nothing secret. A user has one such call at a time.
        method Diagnose(group: ?string, user: ?string) -> (findings: []Finding)

        # Checks the whole access log.
        method VerifyLog(group: ?string, user: ?string) -> (
          whole: bool,
          # What is wrong, for people to read.
          problem: ?string,
          # How many there are.
          records: int,
          # The number of the oldest record.
          first: ?int,
          # The number of the newest record.
          last: ?int
        )

        # A person is needed. Pass the challenge to Begin of org.coffer.Authentication.
        # Then repeat the call with the challenge, from the same process.
        error AuthenticationRequired (
          challenge: string,
          # What the person is asked for: create, unlock, read, change, rename, recovery, bind, unbind, rotate, accept,
          # tieToBoot, releaseFromBoot, approveBoot.
          # For enrolment nobody is asked: the authenticator looks whether fingers are enrolled.
          purposes: []string
        )
        # The challenge is unknown, used, too old, another process's or another item's, or the item changed since.
        # Start again without one.
        error ChallengeRefused (message: string)
        # The item takes an application password, and the call had none. Ask for it, and repeat the call with it.
        error ApplicationPasswordRequired (message: string)
        # The application password is wrong, or the item is damaged. Or too many were wrong, and it is too soon for another.
        error ApplicationPasswordRefused (message: string)
        # The item can be read only with fingers that are not enrolled any more.
        error FingersChanged (message: string)
        # There is no such item or vault for this caller.
        error NotFound (message: string)
        # The account was left out, and there are several.
        error Ambiguous (
          message: string,
          # Those that there are of the service.
          accounts: []string
        )
        # What was to be made is there already.
        error AlreadyExists (message: string)
        # The vault is locked. Unlock opens it.
        error Locked (message: string)
        # The caller may not do this.
        error NotPermitted (message: string)
        # The store is damaged, or not the one that belongs here.
        error Damaged (
          message: string,
          # It is rollback where the store is an older copy, or where what counts is gone. Root can accept it (AcceptVault).
          kind: ?string
        )
        # The TPM could not do it.
        error TPM (
          message: string,
          # It is unavailable, replaced, lockout, refused, exhausted, deadline, tries-used-up, other, or one of these.
          # unsupported: the TPM is too old. busy: it spares its memory.
          # renewed: the keys were renewed since this copy was made.
          # boot: the machine was not started in a way that was approved. boot-index: what says which boots are approved is gone.
          # pin-index: what counts the tries of a bound vault's password is gone.
          kind: string,
          # The TPM's own code, or 0.
          code: int
        )
        # The caller has reached a limit.
        error LimitExceeded (message: string)
        # A parameter cannot be used.
        error InvalidArgument (message: string)
        # The broker could not do it, for a reason that is neither the caller's nor the TPM's (disk full, say).
        error Failed (message: string)

        """#
}
