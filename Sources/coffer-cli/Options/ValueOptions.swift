import ArgumentParser
import Coffer

/// Where a new value comes from.
struct ValueOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Store a new random password; written --generate[=<length>]. The length is in characters, or in words.",
            valueName: "length"),
        transform: LengthArgument.init(parsing:))
    var generate: LengthArgument?

    @Option(help: ArgumentHelp("What --generate makes; letters-digits by default.", valueName: "name"))
    var policy: PasswordPolicy?

    @Option(help: ArgumentHelp("Characters that --generate must not use.", valueName: "characters"))
    var exclude: String?

    @Option(
        help: ArgumentHelp(
            "Type several lines, up to Ctrl-D; written --multiline[=<line>] to end at such a line, too.",
            valueName: "line"))
    var multiline: String?

    /// What stands for --multiline without a line.
    static let controlD = "^D"

    /// The line that ends several lines, empty if only Ctrl-D does; nil if one line is typed.
    var lastLine: String? { multiline.map { $0 == Self.controlD ? "" : $0 } }

    @Flag(help: "Write the secret in your editor (VISUAL or EDITOR). No disk gets the file.")
    var editor = false

    @Flag(
        help:
            "Store a seed for one-time passwords, an otpauth:// address or Base32, in the field otp beside the secret; it is checked."
    )
    var otp = false

    @Option(
        help: ArgumentHelp(
            "Store standard input as a file in this field, every byte of it, up to 1 MiB.", valueName: "name"),
        transform: FieldArgument.parse)
    var fileField: FieldName?

    @Flag(help: "Drop one line break (LF or CR LF) at the end of standard input.")
    var trim = false

    @Flag(help: "Store an empty secret, too.")
    var allowEmpty = false

    func validate() throws {
        guard generate == nil || !trim else {
            throw ValidationError("--trim is for standard input, not for --generate")
        }
        guard generate == nil || !allowEmpty else {
            throw ValidationError("--allow-empty is for a secret that you type or pipe in, not for --generate")
        }
        guard generate != nil || (policy == nil && exclude == nil) else {
            throw ValidationError("--policy and --exclude go with --generate")
        }
        guard [generate != nil, multiline != nil, editor].count(where: { $0 }) <= 1 else {
            throw ValidationError("--generate, --multiline and --editor do not go together")
        }
        guard !otp || generate == nil else {
            throw ValidationError("a site gives the seed for --otp, so --generate cannot make it")
        }
        guard !otp || !allowEmpty else { throw ValidationError("--allow-empty does not go with --otp") }
        guard fileField == nil || (generate == nil && multiline == nil && !editor && !otp && !trim) else {
            throw ValidationError("--file-field stores standard input as it is, so no other source goes with it")
        }
        guard fileField != .secret else {
            throw ValidationError(
                "--file-field is for a field beside the secret; without it, standard input is the secret")
        }
        _ = try recipe()
    }

    /// nil if nothing is generated.
    func recipe() throws(ValidationError) -> PasswordRecipe? {
        guard let generate else { return nil }
        return try PasswordRecipe(policy ?? .lettersDigits, length: generate.count, excluding: exclude ?? "")
    }
}
