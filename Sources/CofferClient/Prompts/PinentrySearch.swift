import Platform

/// Finds the pinentries that show a window. `pinentry` itself is often the one for terminals, also on a desktop.
struct PinentrySearch {
    private let programs: ProgramSearch

    init(_ programs: ProgramSearch) { self.programs = programs }

    private static let names = [
        "pinentry", "pinentry-gnome3", "pinentry-qt", "pinentry-qt6", "pinentry-qt5", "pinentry-gtk", "pinentry-gtk-2",
        "pinentry-fltk", "pinentry-x11",
    ]
    /// These ask at a terminal only.
    private static let terminals = ["curses", "tty"]
    /// These need X11, also in a Wayland session.
    private static let x11Only = ["gtk-2", "fltk", "x11"]

    /// All that are installed, the one to try first at the beginning.
    func paths(for display: Display) -> [String] {
        var files: Set<String> = []
        return Self.names.compactMap { programs.path(of: $0) }.filter { path in
            // Debian's alternatives are links.
            let file = FilePaths.resolved(path)
            let kind = FilePaths.name(of: file)
            if Self.terminals.contains(where: kind.hasSuffix) { return false }
            return (display.hasX11 || !Self.x11Only.contains { kind.hasSuffix("-\($0)") })
                && files.insert(file).inserted
        }
    }
}
