/// What helps if this TPM will never open a vault again. It must not harm if the TPM does open it: nothing is removed.
public enum RecoveryAdvice {
    public static let setAside = advice("coffer vault set-aside --user NAME")

    /// For a vault that the broker does open, but its owner cannot: without `--force` the command refuses.
    public static let setAsideAnyway = advice("coffer vault set-aside --user NAME --force")

    private static func advice(_ command: String) -> String {
        "have root set the vault aside with: \(command); then restore the secrets with: coffer recovery restore FILE"
    }
}
