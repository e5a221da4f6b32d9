// Made by scripts/interfaces from Interfaces/org.coffer.Authentication.varlink: change that file.
import JSON
import Varlink

/// A person's conversation with PAM. The authenticator's own socket carries it, one conversation a connection. Its
/// errors have message, advice and cause as those of org.coffer.Keychain.
public enum Authentication {
    /// The interface's name.
    public static let interface = "org.coffer.Authentication"

    /// The interface file, word for word: what introspection gives out.
    public static let description = #"""
        # A person's conversation with PAM. The authenticator's own socket carries it, one conversation a connection.
        # Its errors have message, advice and cause as those of org.coffer.Keychain.
        interface org.coffer.Authentication

        # One message of PAM (pam_conv(3)).
        type Message (
          # It is secret (a hidden answer), visible (an answer shown while typed), info or error. The last two take no answer.
          style: string,
          text: string
        )

        # Starts the conversation for a challenge of the broker.
        method Begin(
          challenge: string,
          # The number of a descriptor among those that come with this call (SCM_RIGHTS), which is 0: one end of a pair of Unix
          # sockets that the caller's user has made. The conversation goes on over it, beginning with the answer to this call.
          # An agent that got its connection from another process has the other end for itself, so that nobody else can take or
          # add a byte. If it is left out, the conversation goes on over the connection.
          channel: ?int
        ) -> (
          message: ?Message,
          # Nothing more is asked. The person is authenticated, and the broker has been told.
          done: bool,
          # The message's number in this conversation, from 1. A client that shares its connection notices by it that a message went to somebody else.
          step: ?int
        )

        # Answers the last message.
        method Continue(
          # It is left out after info and error.
          answer: ?string
        ) -> (message: ?Message, done: bool, step: ?int)

        # Asks the person once, and keeps the answer for the caller's uid in the caller's terminal session.
        # Reads of items that require only a person's presence use the answer again. Unlocking never does.
        # The answer ends with its time, the session, a lock, or Forget.
        method Authorize(
          # How long the answer is valid, 1 to 300.
          seconds: int
        ) -> (message: ?Message, done: bool, step: ?int)

        # Ends all that Authorize began for the caller's uid, and all leases of that uid (Lease of org.coffer.Keychain).
        method Forget() -> (
          # The number of terminals that still had a valid answer.
          ended: int,
          # The number of leases that were still valid.
          leases: int
        )

        # Makes another signing key. Vaults that are made or renewed from then on trust it. Only root may call this.
        method RenewSigningKey() -> (
          # How many vaults use a former key. That key stays until RotateAll of org.coffer.Keychain has renewed them.
          former: int
        )

        # Moves the registry's record of a vault aside, after SetAsideVault of org.coffer.Keychain. Only root may call this.
        # The owner gets a copy of the vault's file that they can read, for the recovery code. Nothing is removed or replaced.
        method SetAside(
          # user:UID or group:GID.
          owner: string,
          # As SetAsideVault gave it.
          stamp: string
        ) -> (
          # Where the record is now. It is absent if there was none.
          record: ?string,
          # The owner's copy of the file. It is absent for a group's vault and a service vault, which have no recovery code, and if there is no file.
          copy: ?string
        )

        # Gives up. The conversation ends, and the challenge is spent.
        method Cancel() -> ()

        # Tells whether Coffer can now ask the caller for a finger, if a client of the same uid makes a request.
        # It takes no challenge, begins no conversation, and asks nobody.
        method Biometry() -> (
          usable: bool,
          # It is fingerprint.
          type: string,
          # Why Coffer cannot ask for a finger, for people to read.
          reason: ?string,
          # What to do about it, for people to read. It is left out if there is nothing to do.
          advice: ?string,
          # The reason for programs. no-reader: none was found. not-enrolled: the user has enrolled no finger.
          # not-looked-for: root's configuration has no system bus, or nobody answers there. unavailable: not now, or not in this session.
          obstacle: ?string,
          # The digest of the enrolled fingers, in hexadecimal. It is absent if none can be trusted.
          currentSet: ?string
        )

        # The person was not recognised.
        error Failed (
          message: string,
          advice: ?string,
          # password: the answer was wrong. expired: the account or its password has expired. denied: the account may not do it.
          # tries: there were too many. bound-password: the vault is bound to another password than the login password.
          # biometry: Coffer cannot ask for a finger, recognised none, or the item is bound to other fingers.
          reason: string,
          # For biometry: as obstacle of Biometry, or not-recognised, or other-fingers.
          kind: ?string
        )
        # The person gave up.
        error Cancelled (message: string, advice: ?string)
        # The person did not answer in time.
        error TimedOut (message: string, advice: ?string)
        # The broker does not know the challenge, or it belongs to another process.
        error ChallengeRefused (message: string, advice: ?string)
        # The answer is too long or has a NUL byte, or a call came out of order.
        # Or an answer cannot be used again for so long, or the caller has no terminal session.
        # Or an item would be bound to a finger, but none is enrolled.
        error InvalidArgument (
          message: string,
          advice: ?string,
          # For an item that would be bound to a finger: as obstacle of Biometry.
          kind: ?string
        )
        # PAM is not set up: a service file or a module is missing. Or the authenticator cannot start.
        error Misconfigured (
          message: string,
          advice: ?string,
          # PAM's own code (pam 4), if PAM was asked.
          cause: ?string
        )
        # The broker cannot be reached, or runs as the wrong user.
        error BrokerUnavailable (message: string, advice: ?string)
        # The person is authenticated, but the broker could not use the answer.
        error NotCompleted (
          message: string,
          advice: ?string,
          # It is a kind of the error TPM of org.coffer.Keychain, or damaged, or failed.
          kind: string,
          # The TPM's own code, or 0.
          code: int,
          cause: ?string
        )
        # Too many conversations of this user, or of all users, are open.
        error LimitExceeded (message: string, advice: ?string)

        """#
}
