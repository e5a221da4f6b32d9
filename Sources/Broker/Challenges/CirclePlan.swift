import Authorization
import Circle
import Cryptography
import Vault

/// What a person is asked about a circle, with all that the answer is used for.
struct CirclePlan: Sendable {
    enum Deed: Sendable {
        /// Begins a circle with these keys.
        case found(Statement, CircleSigningKeys, DeviceProfile)
        /// Adds the machine of a request, which may have proved where its keys are. The authenticator judges that.
        case add(Statement, signer: MemberKeys, JoinRequest, evidence: JoinEvidence?)
        /// Adds a code on paper with these public keys.
        case paper(Statement, signer: MemberKeys, MemberKeys)
        /// Enters the circle of an answer to this vault's request.
        case join(JoinAnswer, JoinRequest, machines: [MachineName])
        /// Removes machines. The names are in the order of the statement's devices.
        case remove(Statement, signer: MemberKeys, machines: [MachineName])
    }

    let deed: Deed
    /// How the statement is signed; nil if nothing is signed, or once it was.
    var signing: SignedUse?

    var kind: RequestKind {
        switch deed {
        case .found: .foundCircle
        case .add: .addToCircle
        case .paper: .paperToCircle
        case .join: .joinCircle
        case .remove: .removeFromCircle
        }
    }

    /// What the authenticator reads.
    var statement: Statement? {
        switch deed {
        case .found(let statement, _, _), .add(let statement, _, _, _), .paper(let statement, _, _),
            .remove(let statement, _, _):
            statement
        case .join: nil
        }
    }

    var signer: MemberKeys? {
        switch deed {
        case .add(_, let signer, _, _), .paper(_, let signer, _), .remove(_, let signer, _): signer
        case .found, .join: nil
        }
    }

    /// What the machines of a prompt call themselves.
    var machines: [MachineName]? {
        switch deed {
        case .join(_, _, let machines), .remove(_, _, let machines): machines
        case .found, .add, .paper: nil
        }
    }

    var request: JoinRequest? {
        switch deed {
        case .found, .paper, .remove: nil
        case .add(_, _, let request, _), .join(_, let request, _): request
        }
    }

    /// What a machine that is added has answered to a challenge.
    var evidence: JoinEvidence? {
        guard case .add(_, _, _, let evidence) = deed else { return nil }
        return evidence
    }

    /// Whether a repeated call asks for the same. A circle that is begun has other keys each time.
    func repeats(_ other: CirclePlan) -> Bool {
        switch (deed, other.deed) {
        case (.add(let statement, _, _, let evidence), .add(let others, _, _, let other)):
            statement == others && evidence?.bytes == other?.bytes
        case (.paper(let statement, _, _), .paper(let others, _, _)): statement == others
        case (.remove(let statement, _, _), .remove(let others, _, _)): statement == others
        case (.join(let answer, _, _), .join(let other, _, _)): answer.bytes == other.bytes
        default: false
        }
    }

    /// The statement with the signature that the person has agreed to.
    func signed(_ signature: SecretBytes) -> SignedStatement? {
        statement.map { statement in
            let bytes = signature.withBytes { bytes in bytes.indices.map { bytes[$0] } }
            return SignedStatement(statement, signature: SignedStatement.lower(bytes))
        }
    }
}
