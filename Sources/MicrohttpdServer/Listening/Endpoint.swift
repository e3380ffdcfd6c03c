extension MicrohttpdServer {
  /// Where a server listens.
  public enum Endpoint: Sendable, Equatable {
    /// An IPv4 or IPv6 literal (brackets allowed) or `localhost`, and a port; 0 takes a free one.
    case network(host: String, port: Int)

    /// A Unix-domain socket: the path of its file, and the permissions that this gets.
    ///
    /// A file that nobody listens on any more is replaced, and the file is removed in the end.
    case unix(path: String, mode: UInt32)

    /// A socket that listens already: somebody else made it, and keeps it.
    ///
    /// The server closes its descriptor in the end. While it drains it accepts nothing from there:
    /// whoever takes over the socket does, and until then they wait in the kernel.
    case inherited(descriptor: Int32)
  }
}
