/// The secure heap of the broker's process.
public enum SecureMemory {
    /// Its size in bytes, a power of two. Half is for users' calls and challenges together (`BudgetLimits.secrets`).
    /// The other half is for the keys of open vaults, a kilobyte each, and for OpenSSL's own secrets.
    public static let heap = 2 << 20
}
