import Coffer
import Foundation

@testable import CredentialHelpers

/// What git and docker send to their helpers, and what an entry's value can be.
struct CredentialTarget: FuzzTarget {
    private let requests = [
        """
        capability[]=authtype
        authtype=Bearer
        credential=token
        protocol=https
        host=example.com:8443
        path=a/b.git
        username=me
        password=s3cret
        password_expiry_utc=1893456000
        oauth_refresh_token=r
        wwwauth[]=Basic realm="x"
        state[]=x
        ephemeral=0

        """, "protocol=cert\nhost=\npath=/etc/me.pem\nusername=\npassword=\n", "protocol=https\r\nhost=h\r\n\r\n",
    ].map { Array($0.utf8) }
    private let values = [
        "s3cret\npassword_expiry_utc=1893456000\noauth_refresh_token=r", "\nauthtype=Bearer\ncredential=t",
    ]
    .map { Array($0.utf8) }
    private let logins: [JSONTree]
    private let servers = ["https://index.docker.io/v1/", "localhost:5000", "//[::1]:80/a?b#c"].map { Array($0.utf8) }

    init() async throws {
        logins = [
            try JSONTree(parsing: Array(#"{"ServerURL":"https://h/v1/","Username":"me","Secret":"s3cret"}"#.utf8))
        ]
    }

    mutating func tryOne(_ mutator: inout Mutator) throws {
        let bytes = mutator.bytes(requests[mutator.below(requests.count)], donors: requests)
        try tryRequest(bytes, cut: mutator.below(bytes.count))
        try tryValue(mutator.bytes(values[mutator.below(values.count)], donors: values))
        if let login = try answer({ try DockerCredentials(json: mutator.text(logins[0], donors: logins)) }) {
            try tryServer(login.serverURL)
            _ = try DockerJSON.line(login)
        }
        try tryServer(
            String(decoding: mutator.bytes(servers[mutator.below(servers.count)], donors: servers), as: UTF8.self))
    }

    private func tryRequest(_ bytes: [UInt8], cut: Int) throws {
        func read(_ parts: [ArraySlice<UInt8>]) throws -> GitRequest {
            var reader = GitRequestReader()
            for part in parts where try !reader.take(part) { break }
            try reader.end()
            return reader.request
        }
        let whole = try answer { try read([bytes[...]]) }
        let parted = try answer { try read([bytes[..<cut], bytes[cut...]]) }
        try promise((whole == nil) == (parted == nil), "parts change what is refused")
        guard let whole, let parted, let place = try answer({ try GitPlace(whole) }) else { return }
        try promise(try GitPlace(parted).name == place.name, "parts change the place")
        let named = Array(place.name.service.utf8) + place.name.account.utf8
        try promise(!named.contains { $0 < 0x20 }, "a name has a control character")
        try promise(place.matches(place.name), "a place does not match itself")
        // What another host would be called.
        var other = whole
        other.host = (whole.host ?? []) + [UInt8(ascii: "x")]
        try promise(!(try GitPlace(other).matches(place.name)), "another host matches")
        guard let value = GitValue(whole) else { return }
        let again = try Self.value(value.stored.map { ($0.field, $0.value) })
        let same = zip(again.stored, value.stored).allSatisfy { $0.field == $1.field && $0.value == $1.value }
        try promise(same && again.stored.count == value.stored.count, "a value changes when it is read again")
    }

    private static func value(_ fields: [(FieldName, [UInt8])]) throws(KeychainError) -> GitValue {
        let time = Date(timeIntervalSince1970: 0)
        let entry = ItemAttributes(
            id: "i", name: ItemName(service: "git:x", account: "me"), created: time, modified: time, version: 1,
            revision: "")
        return try GitValue(fields.map { Item(value: $0.1, attributes: entry) }, fields.map(\.0))
    }

    private func tryValue(_ bytes: [UInt8]) throws {
        guard let value = try answer({ try Self.value([(.secret, bytes)]) }) else { return }
        let text = value.answer(user: "me", takesAuthtype: true)
        let keys: Set = [
            "capability[]", "username", "password", "password_expiry_utc", "oauth_refresh_token", "authtype",
            "credential",
        ]
        var seen: Set<String> = []
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let key = String(decoding: line.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
            try promise(keys.contains(key) && seen.insert(key).inserted, "git gets a line of “\(key)”")
        }
        try promise(
            !text.contains(0) && !text.contains(UInt8(ascii: "\r")), "git gets a byte that ends a line elsewhere")
    }

    private func tryServer(_ text: String) throws {
        guard let server = try answer({ try DockerServer(text) }) else { return }
        try promise(
            server.service.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "a name has other than visible ASCII")
        let again = try DockerServer(String(server.service.dropFirst("docker:".count)))
        try promise(!server.service.contains("%") ? again.service == server.service : true, "a server has two names")
        try promise(
            !server.service.dropFirst("docker:https://".count).contains("@") || text.contains("/"),
            "a user is in the host")
    }
}
