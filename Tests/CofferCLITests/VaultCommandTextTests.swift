import Testing

@testable import coffer_cli

/// Commands that an advice names, as they are run for another vault.
@Suite struct VaultCommandTextTests {
    @Test(arguments: [
        ("run there: coffer sync now", "run there: coffer sync now --user web"),
        ("coffer sync now --folder FOLDER", "coffer sync now --user web --folder FOLDER"),
        (
            "see coffer sync status; then coffer sync remove desk",
            "see coffer sync status --user web; then coffer sync remove --user web desk"
        ),
        ("give them with: coffer sync store set", "give them with: coffer sync store set --user web"),
        ("coffer sync store show; x", "coffer sync store show --user web; x"),
        ("coffer sync store", "coffer sync store"),
        ("see: coffer log --verify", "see: coffer log --user web --verify"),
        ("if root renewed it: coffer rotate --all", "if root renewed it: coffer rotate --user web --all"),
        ("open it with: coffer unlock", "open it with: coffer unlock --user web"),
        ("coffer edit --join --dry-run", "coffer edit --user web --join --dry-run"),
        // These are about the machine, or are no commands.
        ("have root accept the file: coffer vault accept", "have root accept the file: coffer vault accept"),
        ("ask root to run: coffer doctor", "ask root to run: coffer doctor"),
        ("coffer sync", "coffer sync"), ("coffer sync 3 machines", "coffer sync 3 machines"), ("coffer ", "coffer "),
        ("install coffer and cofferd", "install coffer and cofferd"), ("", ""), ("none", "none"),
    ])
    func commandsGetTheWordsAndNothingElse(_ text: String, _ named: String) {
        #expect(VaultCommandText(words: "--user web").naming(text) == named)
    }
}
