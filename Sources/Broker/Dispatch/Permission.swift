/// What happens to a call, by the vault's condition.
enum Permission: Sendable {
    /// The method's handler decides.
    case allowed
    /// The answer is as for something that is not there.
    case absent
    /// A vault has to be made first, which takes a person.
    case creation
}
