// Made by scripts/interfaces from Interfaces/org.coffer.Agent.varlink: change that file.
import JSON
import Varlink

extension Fault.Name {
    /// Neither the caller's display nor the agent's terminal or display can be used.
    public static let agentNobodyHere = Self(rawValue: "org.coffer.Agent.NobodyHere")
    /// The descriptor is missing, or is no connection to the authenticator.
    public static let agentConnectionRefused = Self(rawValue: "org.coffer.Agent.ConnectionRefused")
    /// Too many callers wait.
    public static let agentLimitExceeded = Self(rawValue: "org.coffer.Agent.LimitExceeded")
    /// A text is too long, or a call came out of order.
    public static let agentInvalidArgument = Self(rawValue: "org.coffer.Agent.InvalidArgument")
}
