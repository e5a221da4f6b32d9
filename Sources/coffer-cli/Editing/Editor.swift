import Coffer
import FoundationEssentials
import Platform

/// The program that a person edits with: what `VISUAL` or `EDITOR` names.
struct Editor {
    let path: String
    let arguments: [String]
    /// Shown before it starts; nil if the editor is known to keep no copies.
    let warning: String?

    private static let usual = ["editor", "nano", "vim", "vi"]
    /// These always keep a history of what was edited, in files.
    private static let refused: Set<String> = [
        "code", "code-insiders", "code-oss", "codium", "cursor", "zed", "zeditor", "subl", "sublime_text", "idea",
    ]
    private static let quoting: Set<Character> = [
        "'", "\"", "\\", "$", "`", "|", "&", ";", "<", ">", "(", ")", "*", "?",
    ]

    static func find(_ session: CommandSession) throws(KeychainError) -> Editor {
        let named = session.variable("VISUAL") ?? session.variable("EDITOR")
        guard let named else {
            guard let path = usual.lazy.compactMap({ session.programs.path(of: $0) }).first else {
                throw KeychainError(.failed, "no editor was found", advice: "name one in EDITOR")
            }
            return Editor(path: path, words: [])
        }
        guard !named.contains(where: quoting.contains) else {
            throw KeychainError(
                .failed, "EDITOR holds more than a program and plain words",
                advice: "put the command into a script, and name that in EDITOR")
        }
        let words = named.split(whereSeparator: \.isWhitespace).map(String.init)
        guard let program = words.first,
            let path = program.contains("/") ? program : session.programs.path(of: program)
        else {
            throw KeychainError(
                .failed, "the editor \(VisibleText.quoted(named)) was not found", advice: "name another in EDITOR")
        }
        let editor = Editor(path: path, words: Array(words.dropFirst()))
        guard !refused.contains(editor.name), !refused.contains(String(path.split(separator: "/").last ?? "")) else {
            throw KeychainError(
                .failed, "\(editor.name) keeps copies of what it edits on the disk, so it is not started",
                advice: "name another editor in EDITOR, such as vim or nano")
        }
        return editor
    }

    /// The file's own name, behind links such as /usr/bin/vi.
    private var name: String { Self.name(path) }

    private static func name(_ path: String) -> String {
        String(URL(filePath: path).resolvingSymlinksInPath().path().split(separator: "/").last ?? "")
    }

    private init(path: String, words: [String]) {
        self.path = path
        let name = Self.name(path)
        if let options = Self.options(name) {
            arguments = options + words
            warning = nil
        } else {
            arguments = words
            warning =
                "\(VisibleText.quoted(name)) may keep copies of what it edits; Coffer knows how to prevent that for vim, nvim, nano and emacs"
        }
    }

    /// What keeps an editor from writing backups, swap files, undo files and its memory of deleted text anywhere.
    private static func options(_ name: String) -> [String]? {
        switch name {
        case _ where name == "vim" || name.hasPrefix("vim.") || name == "nvim":
            // A value may come from others in a group, so it must not set options (modelines) either.
            [
                "-n", "-i", "NONE", "--cmd", "set nomodeline", "-c",
                "set nomodeline nobackup nowritebackup noundofile",
            ]
        case "nano", "rnano": ["--ignorercfiles"]
        case _ where name == "emacs" || name.hasPrefix("emacs-"):
            [
                "--eval",
                "(setq make-backup-files nil auto-save-default nil auto-save-list-file-prefix nil create-lockfiles nil)",
            ]
        default: nil
        }
    }
}
