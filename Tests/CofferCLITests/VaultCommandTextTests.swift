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
        ("list your items with: coffer list", "list your items with: coffer list --user web"),
        ("see: coffer status; then coffer lock", "see: coffer status --user web; then coffer lock --user web"),
        ("read it by itself with: coffer get", "read it by itself with: coffer get --user web"),
        // These name their vault.
        ("open it with: coffer unlock --user web", "open it with: coffer unlock --user web"),
        ("run: coffer rotate --all --group ops", "run: coffer rotate --all --group ops"),
        ("coffer get a b --user web; coffer list", "coffer get a b --user web; coffer list --user web"),
        // These are about the machine, or are no commands.
        ("have root accept the file: coffer vault accept", "have root accept the file: coffer vault accept"),
        ("ask root to run: coffer doctor", "ask root to run: coffer doctor"),
        ("coffer sync", "coffer sync"), ("coffer sync 3 machines", "coffer sync 3 machines"), ("coffer ", "coffer "),
        ("install coffer and cofferd", "install coffer and cofferd"), ("", ""), ("none", "none"),
    ])
    func commandsGetTheWordsAndNothingElse(_ text: String, _ named: String) {
        #expect(VaultCommandText(words: "--user web").naming(text) == named)
    }

    /// A group's vault opens only while the member's own is open, so the advice is about that one.
    @Test(arguments: [
        ("open yours with: coffer unlock", "open yours with: coffer unlock"),
        ("see which programs with: coffer log", "see which programs with: coffer log"),
        ("list your items with: coffer list", "list your items with: coffer list --group ops"),
    ])
    func whatConcernsTheMemberAloneStays(_ text: String, _ named: String) {
        #expect(VaultCommandText(words: "--group ops", isOfError: true).naming(text) == named)
        // What `coffer doctor --group` has found is about the group's vault alone.
        #expect(VaultCommandText(words: "--group ops").naming(text).hasSuffix(" --group ops"))
    }
}
