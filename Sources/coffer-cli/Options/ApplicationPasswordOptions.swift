import ArgumentParser

/// Chooses how to read an item that can be read in several ways.
struct ApplicationPasswordOptions: ParsableArguments {
    @Flag(help: "Ask for the item's application password at once, if --any leaves a choice.")
    var appPassword = false
}
