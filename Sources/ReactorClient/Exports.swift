// One import suffices: the client's functions use the types of both.
@_exported public import ClientCore
@_exported public import ReactorCore
