/// The secure heap of the broker's program.
public enum SecureMemory {
    /// Its size in bytes, a power of two: all that users' calls and challenges may have there together (`BudgetLimits.secrets`), and as much again for the keys
    /// of open vaults, a kilobyte each, and for what OpenSSL puts there itself.
    public static let heap = 2 << 20
}
