/// The interfaces in Varlink's own language, as introspection gives them out.
enum InterfaceText {}
