import Coffer
import Platform

/// Reads the secrets that references name: all of them, or none.
struct ReferenceResolver {
    /// The vault of references that name none.
    let vault: VaultOptions
    /// Why the secrets are read; shown in the prompt and kept in the log.
    let reason: String?
    let noPrompt: Bool
    /// The command to run in a terminal if nobody can be asked here.
    let command: String
    /// Whether a person may be told what to expect.
    var tells = true
    /// Ask for an item's application password at once, if there is a choice and only one item.
    var choosesPassword = false
    private let session = CommandSession()
    private let notice = DivisionNotice()

    /// A secret, and the item that it is a value of.
    struct Secret: Sendable {
        let value: [UInt8]
        let item: ItemAttributes
        /// nil for the field secret.
        let field: FieldName?

        /// As sentences show it: github/me, field pin.
        var shownName: String { FieldText.shown(item.shownName, field) }

        /// Without the line break at its end. Files and `echo` end in one, and neither a variable nor a line of a file should.
        var line: ArraySlice<UInt8> { value.withoutLineEnd }
    }

    /// Items that one call can read: of one vault, and no more than one prompt can name.
    private struct Batch {
        let vault: VaultOptions
        var references: [SecretReference] = []
    }

    /// - Returns: a secret for each reference.
    func resolve(_ references: [SecretReference]) throws(KeychainError) -> [SecretReference: Secret] {
        let complete = try completed(references)
        var batches = batches(of: complete.map(\.complete))
        if batches.count > 1, tells {
            Output.note("coffer: these secrets need \(batches.count) requests, and each may ask you")
        }
        var found: [SecretReference: Secret] = [:]
        while !batches.isEmpty {
            let batch = batches.removeFirst()
            for (reference, secret) in zip(batch.references, try read(batch)) { found[reference] = secret }
        }
        var secrets: [SecretReference: Secret] = [:]
        for (reference, complete) in complete { secrets[reference] = found[complete] }
        return secrets
    }

    /// Each reference with its vault, and with its account if there are several: one call must not name a field of an item twice. Nobody is asked.
    private func completed(
        _ references: [SecretReference]
    ) throws(KeychainError) -> [(reference: SecretReference, complete: SecretReference)] {
        var complete: [SecretReference: SecretReference] = [:]
        var order: [SecretReference] = []
        for reference in references where complete[reference] == nil {
            guard order.count < ReferenceLimits.secrets else {
                throw KeychainError(
                    .limitExceeded, "there are more than \(ReferenceLimits.secrets) secrets in one command",
                    advice: "split it into several")
            }
            var full = reference
            if full.vault == .own { full.vault = vault.choice }
            complete[reference] = full
            order.append(reference)
        }
        if order.count > 1 {
            for (reference, full) in complete where full.account == nil {
                var named = full
                named.account =
                    try session.of(VaultOptions(full.vault)).client.call(ItemCall.attributes(of: full.name)).account
                complete[reference] = named
            }
        }
        return order.compactMap { reference in complete[reference].map { (reference, $0) } }
    }

    private func batches(of references: some Sequence<SecretReference>) -> [Batch] {
        var batches: [Batch] = []
        var seen: Set<SecretReference> = []
        for reference in references where seen.insert(reference).inserted {
            let place = batches.firstIndex {
                $0.vault.choice == reference.vault && $0.references.count < ReferenceLimits.prompt
            }
            if let place {
                batches[place].references.append(reference)
            } else {
                batches.append(Batch(vault: VaultOptions(reference.vault), references: [reference]))
            }
        }
        return batches
    }

    private func read(_ batch: Batch) throws(KeychainError) -> [Secret] {
        let session = session.of(batch.vault)
        if batch.references.count == 1, let only = batch.references.first {
            // This call also takes an application password.
            let item = try session.call(
                ItemCall.read(only.name, ReadRequest(reason: reason)), for: only.shownName, noPrompt: noPrompt,
                choosingPassword: choosesPassword, command: command)
            return [Secret(value: item.value, item: item.attributes, field: only.field)]
        }
        let names = batch.references.map(\.name)
        do throws(KeychainError) {
            let items = try session.call(
                ItemCall.readAll(names, ReadRequest(reason: reason)), for: "reading \(names.count) secrets",
                noPrompt: noPrompt, command: command)
            return zip(names, items).map { Secret(value: $1.value, item: $1.attributes, field: $0.field) }
        } catch {
            // The answer would be too long, so half as many are read at a time.
            guard error.code == .limitExceeded else { throw error }
            if tells, !noPrompt { notice.tell(error) }
            let half = names.count / 2
            return try read(Batch(vault: batch.vault, references: Array(batch.references.prefix(half))))
                + read(Batch(vault: batch.vault, references: Array(batch.references.dropFirst(half))))
        }
    }
}
