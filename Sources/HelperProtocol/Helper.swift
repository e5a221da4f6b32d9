/// The program that does the work for which `coffer` would need a database or a cryptographic library, so that `coffer` starts without them.
public enum Helper {
    /// The program's file. It is beside `coffer` if both were built there, otherwise in `libexec/coffer`.
    public static let program = "coffer-helper"
    /// Reads an old vault's file; see ``OldVault``.
    public static let oldVault = "old-vault"
    /// Computes the digests of one file; see ``FileMeasurement``.
    public static let measure = "measure"
}
