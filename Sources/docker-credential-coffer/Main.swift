import CredentialHelpers

@main enum Main {
    static func main() async { await DockerCredentialCommand.launch() }
}
