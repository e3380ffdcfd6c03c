package import TerminalClient

/// The address that the server listens on.
package typealias ListenAddress = ServerAddress
