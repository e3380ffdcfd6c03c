internal import Glibc
internal import MicrohttpdServer
internal import Telemetry
internal import TerminalClient

/// The line on standard output that reports a listening address.
enum Announcement {
  /// Writes the line and logs the address; an inherited socket is not announced.
  static func write(_ endpoint: MicrohttpdServer.Endpoint, _ logger: Logger) {
    let address: String
    switch endpoint {
    case .network(let host, let port):
      address = ListenAddress(host: host, port: UInt16(clamping: port)).url
    case .unix(let path, _): address = ListenAddress.unix(path: path).url
    case .inherited: return
    }
    logger.info("listening", ["address": address])
    // A terminal shows the log line already.
    guard isatty(STDOUT_FILENO) == 0 || logger.level > .info else { return }
    let line = "reactord listening on \(address)\n"
    // One unbuffered write: the parent process may wait for the line.
    _ = unsafe line.utf8.withContiguousStorageIfAvailable { bytes in
      unsafe Glibc.write(STDOUT_FILENO, bytes.baseAddress, bytes.count)
    }
  }
}
