import Glibc
import Testing

@testable import ReactorService

struct ServiceNotifierTests {
  /// The socket of a service manager.
  private final class Receiver {
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    private let file: String?

    /// `name` as in `NOTIFY_SOCKET`.
    init(_ name: String) {
      file = name.hasPrefix("/") ? name : nil
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { bytes in
        bytes.copyBytes(from: name.utf8)
        if file == nil { bytes[0] = 0 }
      }
      let size = socklen_t(MemoryLayout<sa_family_t>.size + name.utf8.count)
      let status = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
      }
      #expect(status == 0)
      var timeout = timeval(tv_sec: 300, tv_usec: 0)
      setsockopt(
        descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
      close(descriptor)
      if let file { unlink(file) }
    }

    func receive() -> String {
      var bytes = [UInt8](repeating: 0, count: 256)
      let count = recv(descriptor, &bytes, bytes.count, 0)
      return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
  }

  @Test(arguments: ["/tmp/reactord-notify-\(getpid())", "@reactord-notify-\(getpid())"])
  func `notifications arrive at the address in the environment`(_ name: String) {
    let receiver = Receiver(name)
    let manager = ServiceNotifier(["NOTIFY_SOCKET": name])
    #expect(manager.notify(.ready))
    #expect(receiver.receive() == "READY=1")
    manager.notify(.stopping)
    #expect(receiver.receive() == "STOPPING=1")
  }

  @Test(arguments: [
    nil, "", "relative", "/no/socket/here", "/\(String(repeating: "a", count: 200))",
  ])
  func `without a service manager a notification has no effect`(_ name: String?) {
    let notifier = ServiceNotifier(name.map { ["NOTIFY_SOCKET": $0] } ?? [:])
    #expect(!notifier.notify(.ready))
  }
}
