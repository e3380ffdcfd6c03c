extension MicrohttpdServer {
  /// An address that a server listens on.
  package enum Endpoint: Sendable, Equatable {
    /// An IPv4 or IPv6 literal (brackets allowed) or `localhost`, and a port; 0 selects a free one.
    case network(host: String, port: Int)

    /// A Unix-domain socket: the path and the permissions of its file.
    ///
    /// The folder must exist. A socket file without a listener is replaced; the file is removed when
    /// the server stops.
    case unix(path: String, mode: UInt32)

    /// A listening socket that another process created.
    ///
    /// The server closes its descriptor when it stops. If another process continues to listen
    /// (`isRetained`), the server accepts no connections while it drains: they wait in the kernel for
    /// the process that takes over.
    case inherited(descriptor: Int32, isRetained: Bool = true)
  }
}
