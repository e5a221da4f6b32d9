import ArgumentParser

/// Whether a person may be asked.
struct PromptOptions: ParsableArguments {
    @Flag(help: "Never ask for a password: fail at once with status 4 (5 if the vault is locked).")
    var noPrompt = false
}

/// Whether the output is for a program.
struct JSONOptions: ParsableArguments {
    @Flag(help: "Print the answer, and errors, as JSON.")
    var json = false
}

/// Chooses how to read an item that can be read in several ways.
struct ApplicationPasswordOptions: ParsableArguments {
    @Flag(help: "Ask for the item's application password at once, if --any leaves a choice.")
    var appPassword = false
}
