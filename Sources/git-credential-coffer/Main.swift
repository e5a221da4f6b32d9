import CredentialHelpers

@main enum Main {
    static func main() async { await GitCredentialCommand.launch() }
}
