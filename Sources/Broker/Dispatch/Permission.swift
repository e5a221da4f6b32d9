/// What happens to a call in a vault's condition.
enum Permission: Sendable {
    /// The method's handler decides.
    case allowed
    /// The answer is that the item does not exist.
    case absent
    /// A vault must be made first, which needs a person.
    case creation
}
