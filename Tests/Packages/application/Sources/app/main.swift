import Coffer

let keychain = Keychain(service: "com.example.app")
switch await keychain.availability() {
case .available(let status): print("the vault is \(status.state)")
case .noBroker(let reason), .silent(let reason), .refused(let reason): print(reason.message)
}
