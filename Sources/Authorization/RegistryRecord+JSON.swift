import JSON

extension RegistryRecord: JSONValue {
    private static let jsonNames = [
        "authenticatorKey", "binding", "biometrySet", "boot", "counter", "created", "format", "generation",
        "maker", "objects", "owner", "ownerName", "sealer", "service", "storageKey", "vault",
    ]

    public init(from reader: inout JSONReader) throws(JSONFailure) {
        let start = reader.at
        var authenticatorKey: Hexadecimal?
        var binding: BindingPin?
        var biometrySet: Hexadecimal?
        var boot: BootPin?
        var counter: CounterPin?
        var created: UInt64?
        var format: Int?
        var generation: GenerationPin?
        var maker: UInt32?
        var objects: [String: Hexadecimal]?
        var owner: Owner?
        var ownerName: String?
        var sealer: SealerKind?
        var service: Bool?
        var storageKey: StorageKeyPin?
        var vault: VaultID?
        var members = try reader.members()
        while let member = try reader.next(&members, of: Self.jsonNames) {
            switch member {
            case 0: authenticatorKey = try reader.read()
            case 1: binding = try reader.read()
            case 2: biometrySet = try reader.read()
            case 3: boot = try reader.read()
            case 4: counter = try reader.read()
            case 5: created = try reader.read()
            case 6: format = try reader.read()
            case 7: generation = try reader.read()
            case 8: maker = try reader.read()
            case 9: objects = try reader.read()
            case 10: owner = try reader.read()
            case 11: ownerName = try reader.read()
            case 12: sealer = try reader.read()
            case 13: service = try reader.read()
            case 14: storageKey = try reader.read()
            default: vault = try reader.read()
            }
        }
        self.format = try members.required(format, "format")
        guard self.format == Self.currentFormat else {
            throw .mismatch(
                at: start, "format \(self.format) is not \(Self.currentFormat)")
        }
        self.vault = try members.required(vault, "vault")
        self.owner = try members.required(owner, "owner")
        self.ownerName = try members.required(ownerName, "ownerName")
        self.created = try members.required(created, "created")
        self.sealer = try members.required(sealer, "sealer")
        self.authenticatorKey = try members.required(authenticatorKey, "authenticatorKey").bytes
        self.storageKey = storageKey
        self.counter = counter
        self.isService = service ?? false
        if case .group = self.owner { self.maker = maker } else { self.maker = nil }
        self.objects = try Self.objects(members.required(objects, "objects"), start)
        self.biometrySet = biometrySet?.bytes
        self.generation = generation
        self.binding = binding
        self.boot = boot
        if let contradiction { throw .mismatch(at: start, contradiction) }
    }

    private static func objects(
        _ names: [String: Hexadecimal], _ start: Int
    ) throws(JSONFailure) -> [ObjectRole: [UInt8]] {
        var objects: [ObjectRole: [UInt8]] = [:]
        for (key, name) in names {
            guard let number = UInt16(key), let role = ObjectRole(ofVault: number), name.bytes.count == 34 else {
                throw .mismatch(at: start, "unknown object or bad Name: \(key)")
            }
            objects[role] = name.bytes
        }
        return objects
    }

    /// What cannot be true of one vault at once.
    private var contradiction: String? {
        if (biometrySet != nil) != (objects[.biometryCurrentSet] != nil) || biometrySet?.count ?? 32 != 32 {
            return "fingers and their key do not belong together"
        }
        if binding != nil, !canBeBound { return "such a vault cannot be bound to a password" }
        if (boot != nil && !canBeBound) || (boot != nil) != (objects[.approvingKey] != nil)
            || objects[.approvedBoots] != nil
        {
            return "such a vault cannot be tied to the boot"
        }
        if generation != nil, sealer != .tpm || generation == binding?.index {
            return "such a vault has no generation in a TPM"
        }
        let isComplete =
            authenticatorKey.count == 65 && (storageKey == nil) == (sealer == .software)
            && (counter == nil) == (sealer == .software) && ObjectRole.ofNewVault.allSatisfy { objects[$0] != nil }
        return isComplete ? nil : "the record is not complete"
    }

    public func write(to writer: inout JSONWriter) {
        let names = Dictionary(
            uniqueKeysWithValues: objects.map { (String($0.key.rawValue), Hexadecimal($0.value)) })
        writer.beginObject()
        writer.member("authenticatorKey", Hexadecimal(authenticatorKey))
        writer.member("binding", binding)
        writer.member("biometrySet", biometrySet.map(Hexadecimal.init))
        writer.member("boot", boot)
        writer.member("counter", counter)
        writer.member("created", created)
        writer.member("format", format)
        writer.member("generation", generation)
        writer.member("maker", maker)
        writer.member("objects", names)
        writer.member("owner", owner)
        writer.member("ownerName", ownerName)
        writer.member("sealer", sealer)
        writer.member("service", isService ? true : nil)
        writer.member("storageKey", storageKey)
        writer.member("vault", vault)
        writer.endObject()
    }
}

/// The format that a record claims. A newer format may have other members, so nothing else of it is read.
struct RecordFormat: JSONReadable {
    let number: Int

    init(from reader: inout JSONReader) throws(JSONFailure) {
        var format: Int?
        var members = try reader.members()
        while try reader.next(&members, of: ["format"]) != nil { format = try reader.read() }
        number = try members.required(format, "format")
    }
}
