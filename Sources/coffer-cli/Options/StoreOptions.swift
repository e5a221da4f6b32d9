import ArgumentParser
import Courier
import HTTP

/// How the place that a person names carries changes.
struct StoreOptions: ParsableArguments {
    @OptionGroup var repository: GitOptions

    @Option(help: ArgumentHelp("The server of a bucket, if it is not Amazon's.", valueName: "address"))
    var endpoint: String?

    @Option(help: ArgumentHelp("The region of a bucket; by default us-east-1.", valueName: "region"))
    var region: String?

    @Flag(help: "Name the bucket in the path of an address, and not in the host's name.")
    var pathStyle = false

    @Option(
        help: ArgumentHelp(
            "A program that prints the credentials of a server, by its whole path.", valueName: "program"),
        completion: .file())
    var credentialsCommand: String?

    /// What goes with the name, for a command to be run again.
    var words: [String] { placeWords + (credentialsCommand.map { ["--credentials-command", $0] } ?? []) }

    /// What says more about the place alone.
    var placeWords: [String] {
        (repository.git ? ["--git"] : []) + (endpoint.map { ["--endpoint", $0] } ?? [])
            + (region.map { ["--region", $0] } ?? []) + (pathStyle ? ["--path-style"] : [])
    }

    /// - Parameter name: a folder, `s3://BUCKET/PREFIX`, or the address of a WebDAV folder.
    func place(_ name: String) throws -> SharedPlace {
        guard SharedPlace.isRemote(name) else {
            guard credentialsCommand == nil else {
                throw ValidationError("--credentials-command goes with a server, and a folder has no credentials")
            }
            guard endpoint == nil, region == nil, !pathStyle else {
                throw ValidationError("--endpoint, --region and --path-style go with a bucket: s3://BUCKET")
            }
            return .folder(name, repository.carriage)
        }
        guard !repository.git else { throw ValidationError("--git goes with a folder, and not with a server") }
        try checkProgram()
        guard name.lowercased().hasPrefix(BucketPlace.scheme) else {
            guard endpoint == nil, region == nil, !pathStyle else {
                throw ValidationError("--endpoint, --region and --path-style go with a bucket: s3://BUCKET")
            }
            return .remote(.folder(try Self.address(name)))
        }
        let server = try endpoint.map(Self.address)
        let region = region ?? BucketPlace.usualRegion
        guard let place = BucketPlace(name, endpoint: server, region: region, isPathStyle: pathStyle) else {
            throw ValidationError(
                "a bucket is named s3://BUCKET or s3://BUCKET/PREFIX, with a name of a-z 0-9 . - and a prefix of letters, digits and - . _ ~; "
                    + "its region has a-z 0-9 -, and its server's address no path")
        }
        return .remote(.bucket(place))
    }

    func checkProgram() throws {
        guard let credentialsCommand, !CredentialsProgram.isPath(credentialsCommand) else { return }
        throw ValidationError("--credentials-command takes the whole path of a program, such as /usr/local/bin/NAME")
    }

    private static func address(_ text: String) throws -> HTTPAddress {
        do throws(HTTPAddress.Problem) { return try HTTPAddress(text) } catch {
            switch error {
            case .malformed:
                throw ValidationError("an address looks like https://cloud.example.org/remote.php/dav/files/me/Coffer")
            case .notSecure:
                throw ValidationError("the address must begin with https://; http:// is only for this machine itself")
            case .hasUser:
                throw ValidationError(
                    "never write credentials into an address, because every program on this machine can read those; type them when asked"
                )
            case .hasQuery: throw ValidationError("the address must end before its ? or #")
            }
        }
    }
}
