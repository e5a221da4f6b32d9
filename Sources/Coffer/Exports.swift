// What speaks to the broker has a module of its own, which the programs use without Foundation. Applications import this one.
@_exported import CofferClient
