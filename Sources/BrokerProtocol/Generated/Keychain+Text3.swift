// Made by scripts/interfaces from Interfaces/org.coffer.Keychain.varlink: change that file.
import Item
import JSON
import Varlink

extension Keychain {
    static let text3 = #"""
        # Returns the access log of the caller's vault, the oldest records first, some hundreds at a time.
        method Log(
          # Only records from this time on.
          since: ?int,
          # Only records after the one with this number.
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

        # The result of one check.
        type Finding (
          # A stable name (docs/doctor.md). A newer broker may know more of them.
          check: string,
          # It is ok, note (nothing to do) or problem.
          verdict: string,
          # For people to read.
          message: string,
          # What to do, for people to read.
          advice: ?string
        )

        # Checks the TPM, the broker's process and files, the PAM services and the clock, and every row of the caller's vault.
        # The answer has nothing secret, and nothing about other users. A user has one such call at a time.
        method Diagnose(group: ?string, user: ?string) -> (findings: []Finding)

        # Checks the whole access log.
        method VerifyLog(group: ?string, user: ?string) -> (
          whole: bool,
          # What is wrong, for people to read.
          problem: ?string,
          # How many records there are.
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
          # tieToBoot, releaseFromBoot, approveBoot, lease.
          # For enrolment nobody is asked: the authenticator checks whether fingers are enrolled.
          purposes: []string,
          # A lease covers the request, so Begin needs nobody. The authenticator has the last word.
          leased: ?bool
        )
        # The challenge is unknown, used, too old, or for another process or item. Or the item changed since.
        # Start again without one.
        error ChallengeRefused (message: string, advice: ?string)
        # The item needs an application password, and the call had none. Ask for it, and repeat the call with it.
        error ApplicationPasswordRequired (message: string, advice: ?string)
        # The application password is wrong, or the item is damaged. Or there were too many wrong ones, and the caller must wait.
        error ApplicationPasswordRefused (message: string, advice: ?string)
        # The item can be read only with fingers that are no longer enrolled.
        error FingersChanged (message: string, advice: ?string)
        # There is no such item or vault for this caller.
        error NotFound (message: string, advice: ?string)
        # The account was left out, and the service has several.
        error Ambiguous (
          message: string,
          advice: ?string,
          # The accounts of the service.
          accounts: []string
        )
        # The vault or item that the call would make exists already.
        error AlreadyExists (message: string, advice: ?string)
        # The item is not in the state that ifRevision names: it was changed or deleted since. Nothing was changed.
        error Changed (message: string, advice: ?string)
        # The vault is locked. Unlock opens it.
        error Locked (message: string, advice: ?string)
        # The caller may not do this.
        error NotPermitted (message: string, advice: ?string)
        # The vault's file is damaged, or is not the one that belongs here.
        error Damaged (
          message: string,
          advice: ?string,
          # It is rollback if the file is an older copy, or if the counter is gone. Root can accept the file (AcceptVault).
          # It is missing if the vault's file or its record in the registry is not there. Putting it back ends the error.
          kind: ?string,
          cause: ?string
        )
        # The TPM could not do it.
        error TPM (
          message: string,
          advice: ?string,
          # It is unavailable, replaced, lockout, refused, exhausted, deadline, tries-used-up, other, or one of these.
          # unsupported: the TPM is too old. busy: the TPM spares its memory, and asks to try again later.
          # renewed: the keys were renewed since this copy was made.
          # boot: this boot was not approved. boot-index: the record of the approved boots is gone.
          # pin-index: the count of a bound vault's password tries is gone.
          kind: string,
          # The TPM's own code, or 0.
          code: int
        )
        # The caller has reached a limit.
        error LimitExceeded (message: string, advice: ?string)
        # A parameter cannot be used.
        error InvalidArgument (message: string, advice: ?string)
        # The broker could not do it. Neither the caller nor the TPM is the reason (for example, the disk is full).
        error Failed (message: string, advice: ?string, cause: ?string)

        """#
}
