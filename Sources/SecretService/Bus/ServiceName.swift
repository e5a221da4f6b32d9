/// The names of the Secret Service on the bus (Secret Service API Draft 0.2).
public enum ServiceName {
    public static let bus = "org.freedesktop.secrets"

    static let root = "/org/freedesktop/secrets"
    /// The object path that means none.
    static let none = "/"

    static let service = "org.freedesktop.Secret.Service"
    static let collection = "org.freedesktop.Secret.Collection"
    static let item = "org.freedesktop.Secret.Item"
    static let session = "org.freedesktop.Secret.Session"
    static let prompt = "org.freedesktop.Secret.Prompt"
    /// What GNOME's own programs use to set a keyring's password. Coffer's vault has the login's.
    static let internalGNOME = "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface"

    /// The backend of xdg-desktop-portal's secret portal.
    public static let portalBus = "org.freedesktop.impl.portal.desktop.coffer"
    static let portalRoot = "/org/freedesktop/portal/desktop"
    static let portal = "org.freedesktop.impl.portal.Secret"
    static let portalSchema = "org.freedesktop.portal.Secret"
    static let portalRequest = "org.freedesktop.impl.portal.Request"
    /// The front end. Applications in a sandbox talk to it, and it talks to the backend.
    static let portalFrontEnd = "org.freedesktop.portal.Desktop"

    static let properties = "org.freedesktop.DBus.Properties"
    static let introspectable = "org.freedesktop.DBus.Introspectable"
    static let daemon = "org.freedesktop.DBus"
}
