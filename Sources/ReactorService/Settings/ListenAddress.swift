public import TerminalClient

/// The address that the server listens on.
public typealias ListenAddress = ServerAddress
