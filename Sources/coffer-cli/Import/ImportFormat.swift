import ArgumentParser

/// Where secrets come from.
enum ImportFormat: String, CaseIterable, ExpressibleByArgument {
    case firefox, chromium, keepassxc, bitwarden, lastpass
    case onePassword = "1password"
    case netrc, pass
    case gnomeKeyring = "gnome-keyring"
    case kwallet
    case coffer

    /// Whether it is read from a file that holds secrets in the clear.
    var isPlainFile: Bool { ![.pass, .gnomeKeyring, .kwallet, .coffer].contains(self) }

    /// Whether it is read over D-Bus.
    var isOnBus: Bool { self == .gnomeKeyring || self == .kwallet }
}
