/// The program that does for `coffer` what takes a database or a library for cryptography, so that `coffer` starts without them.
public enum Helper {
    /// It is beside `coffer` where both were built, else in `libexec/coffer`.
    public static let program = "coffer-helper"
    /// Reads an old vault's file: see ``OldVault``.
    public static let oldVault = "old-vault"
    /// Computes the digests of one file: see ``FileMeasurement``.
    public static let measure = "measure"
}
