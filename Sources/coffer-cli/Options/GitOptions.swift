import ArgumentParser

/// Whether the folder is a git repository that Coffer fetches and pushes.
struct GitOptions: ParsableArguments {
    @Flag(help: "The folder lies in a clone of a git repository. Share through its branch's upstream.")
    var git = false

    var carriage: FolderCarriage { git ? .upstream : .itself }
}
