// Made by scripts/interfaces from Interfaces/org.coffer.Agent.varlink: change that file.
import JSON
import Varlink

/// The prompts of a user's session, for programs that have no terminal. The agent holds the conversation with the
/// authenticator, so that the person sees the authenticator's words and not the caller's. It serves its own user
/// only. A caller waits for its turn, connects to the authenticator, and hands that connection over. The kernel names
/// the caller to the authenticator, because the caller has connected. Its errors have message and advice as those of
/// org.coffer.Keychain.
public enum Agent {
    /// The interface's name.
    public static let interface = "org.coffer.Agent"

    /// The interface file, word for word: what introspection gives out.
    public static let description = #"""
        # The prompts of a user's session, for programs that have no terminal. The agent holds the conversation with the authenticator,
        # so that the person sees the authenticator's words and not the caller's. It serves its own user only.
        # A caller waits for its turn, connects to the authenticator, and hands that connection over. The kernel names the caller
        # to the authenticator, because the caller has connected.
        # Its errors have message and advice as those of org.coffer.Keychain.
        interface org.coffer.Agent

        # Where a person sits. A name that is absent or does not answer is not used.
        type Display (
          # As in DISPLAY.
          x11: ?string,
          # As in XAUTHORITY.
          xauthority: ?string,
          # As in WAYLAND_DISPLAY, and absolute or a name in XDG_RUNTIME_DIR.
          wayland: ?string
        )

        # Tells whether the agent can reach a person now. It asks nobody.
        method GetState() -> (
          # The agent's process.
          pid: int,
          # The terminal or display at which it asks. It is absent if there is none.
          place: ?string,
          # How many callers wait or are asked now.
          callers: int
        )

        # Waits until no other caller is asked. The turn is the caller's until Converse has answered, or the connection ends.
        # It lasts for 10 seconds if no Converse comes.
        method WaitForTurn(
          # The caller's own display. The agent asks there if that display answers.
          display: ?Display
        ) -> (
          # Where the person is asked.
          place: string
        )

        # Has the person asked for a challenge. It needs the turn. If the connection ends, the prompt closes.
        method Converse(
          challenge: string,
          # The number of a descriptor among those that come with this call (SCM_RIGHTS), which is 0: a connection to the
          # authenticator's socket, on which nothing was said yet.
          connection: int
        ) -> (
          # It is absent if the person was recognised.
          failure: ?Failure
        )

        # How a conversation failed.
        type Failure (
          # The kind of failure, as in the JSON output of coffer.
          code: string,
          message: string,
          advice: ?string,
          # The TPM's own code, or 0.
          tpmCode: int,
          cause: ?string
        )

        # Changes the display at which the agent asks callers that have none.
        method Update(display: Display) -> (
          # Where it asks from now on. It is absent if the display does not answer.
          place: ?string
        )

        # Ends the agent. A prompt that is open closes.
        method Stop() -> ()

        # Neither the caller's display nor the agent's terminal or display can be used.
        error NobodyHere (message: string, advice: ?string)
        # The descriptor is missing, or is no connection to the authenticator.
        error ConnectionRefused (message: string, advice: ?string)
        # Too many callers wait.
        error LimitExceeded (message: string, advice: ?string)
        # A text is too long, or a call came out of order.
        error InvalidArgument (message: string, advice: ?string)

        """#
}
