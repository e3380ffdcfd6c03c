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

  @Test func `a reload is announced with its time, between the start and the end of the service`()
    throws
  {
    let name = "@reactord-reload-\(getpid())"
    let receiver = Receiver(name)
    let notifier = ServiceNotifier(["NOTIFY_SOCKET": name])
    var reloads = 0
    notifier.reloading { reloads += 1 }
    notifier.notify(.ready)
    #expect(receiver.receive() == "READY=1")
    func monotonic() -> Int64 {
      var now = timespec()
      clock_gettime(CLOCK_MONOTONIC, &now)
      return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1_000
    }
    let before = monotonic()
    notifier.reloading { reloads += 1 }
    let message = receiver.receive()
    let prefix = "RELOADING=1\nMONOTONIC_USEC="
    #expect(message.hasPrefix(prefix))
    let time = try #require(Int64(message.dropFirst(prefix.count)))
    #expect((before...monotonic()).contains(time))
    #expect(receiver.receive() == "READY=1")
    notifier.notify(.stopping)
    #expect(receiver.receive() == "STOPPING=1")
    notifier.reloading { reloads += 1 }
    notifier.notify(.waiting)
    #expect(receiver.receive() == "STATUS=waiting for the store")
    #expect(reloads == 3)
  }

  @Test func `the limit of a hang is less than the interval of the service manager`() {
    #expect(ServiceNotifier(["WATCHDOG_USEC": "4000000"]).watchdog == .seconds(3))
    #expect(
      ServiceNotifier(["WATCHDOG_USEC": "4000000", "WATCHDOG_PID": "\(getpid())"]).watchdog
        == .seconds(3))
    for environment in [
      [:], ["WATCHDOG_USEC": "0"], ["WATCHDOG_USEC": "x"], ["WATCHDOG_USEC": "-1"],
      ["WATCHDOG_USEC": "4000000", "WATCHDOG_PID": "1"],
    ] { #expect(ServiceNotifier(environment).watchdog == nil) }
  }

  @Test(arguments: [
    nil, "", "relative", "/no/socket/here", "/\(String(repeating: "a", count: 200))",
  ])
  func `without a service manager a notification has no effect`(_ name: String?) {
    let notifier = ServiceNotifier(name.map { ["NOTIFY_SOCKET": $0] } ?? [:])
    #expect(!notifier.notify(.ready))
  }
}
