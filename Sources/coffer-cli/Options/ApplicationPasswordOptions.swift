import ArgumentParser

/// How an item with several ways of being read is read.
struct ApplicationPasswordOptions: ParsableArguments {
    @Flag(help: "Ask for the item's application password at once, if --any leaves a choice.")
    var appPassword = false
}
