import BrokerProtocol

/// The interfaces of the clients' socket in Varlink's own language, as introspection gives them out.
enum InterfaceText {
    /// docs/org.coffer.Authentication.varlink, word for word.
    static let authentication = #"""
        # A person's conversation with PAM, on the authenticator's own socket. One conversation a connection.
        interface org.coffer.Authentication

        # style: secret (hidden answer), visible (answer shown while typed), info, error. info and error take no answer.
        type Message (style: string, text: string)

        # Starts the conversation for a challenge of the broker's. done: nothing more is asked, the person is authenticated and the broker has been told.
        method Begin(challenge: string) -> (message: ?Message, done: bool)

        # The answer to the last message; left out for info and error.
        method Continue(answer: ?string) -> (message: ?Message, done: bool)

        # Asks the person once, and lets reads of items that want no more than a person's presence use the answer again: for so many seconds (1 to 300), in the terminal
        # session that the caller is in, for the caller's uid. Unlocking is never part of it. A lock, Forget, the end of the session or of the time end it.
        method Authorize(seconds: int) -> (message: ?Message, done: bool)

        # Ends all that Authorize began for the caller's uid. ended: at how many terminals an answer was still good.
        method Forget() -> (ended: int)

        # Makes another signing key for keychains that are made or renewed from then on, by root alone. former: how many keychains are under a former key, which stays
        # until they are renewed (RotateAll of org.coffer.Keychain).
        method RenewSigningKey() -> (former: int)

        # Gives up. The conversation ends; the challenge is spent.
        method Cancel() -> ()

        # Whether the caller can be asked for a finger here and now, by a client of its own uid. No challenge, no conversation, nobody is asked.
        # type: fingerprint. reason: why not, for people to read. currentSet: the digest of the fingers that are enrolled, in hexadecimal; absent where there are none
        # that could be trusted.
        method Biometry() -> (usable: bool, type: string, reason: ?string, currentSet: ?string)

        # reason: password (wrong answer), expired (account or password), denied (the account may not), tries (too many), biometry (no finger can be asked for here, none
        # was recognised, or the item is bound to others than those that are enrolled), bound-password (the keychain is bound to another password than the login's).
        error Failed (message: string, reason: string)
        error Cancelled (message: string)
        error TimedOut (message: string)
        # The broker does not know the challenge, or it is another process's.
        error ChallengeRefused (message: string)
        # The answer cannot be used (too long, or with a NUL byte), a call came out of order, an answer cannot be used again for so long or from where the caller is, or an item would be
        # bound to a finger where none is enrolled.
        error InvalidArgument (message: string)
        # PAM is not set up (no service file, a module missing).
        error Misconfigured (message: string)
        # The broker cannot be reached, or is not who it should be.
        error BrokerUnavailable (message: string)
        # The person is authenticated, and the broker could not use it. kind and code as in org.coffer.Keychain.TPM; kind "damaged" and "failed" besides.
        error NotCompleted (message: string, kind: string, code: int)
        # Too many conversations of this user, or of all, are open.
        error LimitExceeded (message: string)

        """#
}
