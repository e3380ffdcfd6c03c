internal import CMicrohttpd
internal import Glibc

/// What libmicrohttpd calls, all on the thread that runs the daemon: recover the object, call one method, map
/// the result.
enum DaemonCallbacks {
  /// The request line was parsed.
  ///
  /// What this returns is the connection's until `completed`: one retained exchange.
  ///
  /// `text` is the target as it was sent. libmicrohttpd would next parse the query into its pool
  /// (64 bytes for each `&`), although nobody asks for that, and 0.9.75 loses the error when the
  /// pool is full: the worker then spins until the connection times out. So the query ends here,
  /// after it was copied; the buffer is libmicrohttpd's own and writable, it cuts it up itself.
  static let target:
    @convention(c) (
      UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?
    ) -> UnsafeMutableRawPointer? = { context, text, connection in
      guard let worker = unsafe worker(context), let connection = unsafe connection else {
        return nil
      }
      let length = unsafe text.map { unsafe strlen($0) } ?? 0
      let bytes = unsafe UnsafeRawBufferPointer(start: text, count: length)
        .assumingMemoryBound(to: UInt8.self)
      let question = unsafe text.flatMap { text in
        unsafe strchr(text, Int32(UInt8(ascii: "?"))).map { unsafe UnsafePointer($0) - text }
      }
      let target = unsafe RequestTarget(bytes, question: question)
      if let question, let text = unsafe text {
        unsafe UnsafeMutablePointer(mutating: text)[question + 1] = 0
      }
      let exchange = unsafe Exchange(
        loop: worker.loop, connection: Connection(connection), target: target)
      worker.requestLineArrived(exchange.slot)
      return unsafe Unmanaged.passRetained(exchange).toOpaque()
    }

  /// Called once with the fields, then with parts of the body, then once without any.
  static let access: MHD_AccessHandlerCallback = {
    context, _, _, method, version, data, size, slot in
    guard let context = unsafe context, let exchange = unsafe slot?.pointee else { return .NO }
    return unsafe borrowing(RequestWorker.self, context) { worker in
      unsafe borrowing(Exchange.self, exchange) { exchange in
        guard exchange.hasBegun else {
          guard let method = unsafe method, let version = unsafe version else { return .NO }
          return unsafe exchange.begin(
            method: text(ofMethod: method), isHTTP10: strcmp(version, "HTTP/1.0") == 0,
            on: worker)
        }
        guard let size = unsafe size, unsafe size.pointee > 0, let data = unsafe data else {
          return exchange.finish(on: worker)
        }
        let bytes = unsafe UnsafeRawBufferPointer(start: data, count: size.pointee)
          .assumingMemoryBound(to: UInt8.self)
        unsafe size.pointee = 0
        return unsafe exchange.receive(bytes, on: worker)
      }
    }
  }

  /// The request is over; the reference that `target` made ends here.
  static let completed: MHD_RequestCompletedCallback = { context, _, slot, _ in
    guard let worker = unsafe worker(context), let slot = unsafe slot,
      let pointer = unsafe slot.pointee
    else { return }
    unsafe slot.pointee = nil
    unsafe Unmanaged<Exchange>.fromOpaque(pointer).takeRetainedValue().end(on: worker)
  }

  /// A connection was opened or closed.
  ///
  /// What is stored with it is its place in the worker's array, one more so that it is not `nil`.
  static let connection: MHD_NotifyConnectionCallback = { context, connection, place, code in
    guard let worker = unsafe worker(context), let place = unsafe place else { return }
    if code == .CONNECTION_NOTIFY_STARTED, let connection = unsafe connection {
      let index = unsafe worker.connectionOpened(Connection(connection))
      unsafe place.pointee = UnsafeMutableRawPointer(bitPattern: index + 1)
    } else {
      unsafe worker.connectionClosed(Int(bitPattern: place.pointee) - 1)
    }
  }

  /// Leaves percent-encoding as it is: what it means is the service's to say.
  static let unescape:
    @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<CChar>?) -> Int =
      { _, _, text in unsafe text.map { unsafe Int(strlen($0)) } ?? 0 }

  /// One header field, into the intake of the request that begins.
  static let field:
    @convention(c) (
      UnsafeMutableRawPointer?, MHD_ValueKind, UnsafePointer<CChar>?, Int, UnsafePointer<CChar>?,
      Int
    ) -> MHD_Result = { collector, _, name, nameLength, value, valueLength in
      guard let collector = unsafe collector else { return .NO }
      unsafe collector.assumingMemoryBound(to: RequestIntake.self).pointee.add(
        name: UnsafeRawBufferPointer(start: name, count: name == nil ? 0 : nameLength)
          .assumingMemoryBound(to: UInt8.self),
        value: UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : valueLength)
          .assumingMemoryBound(to: UInt8.self))
      return .YES
    }

  /// A method as a string; those that nearly every request has are not made anew.
  private static func text(ofMethod method: UnsafePointer<CChar>) -> String {
    if unsafe strcmp(method, "GET") == 0 { return "GET" }
    if unsafe strcmp(method, "POST") == 0 { return "POST" }
    return unsafe String(cString: method)
  }

  /// The worker outlives its daemon.
  private static func worker(_ context: UnsafeMutableRawPointer?) -> RequestWorker? {
    unsafe context.map { unsafe Unmanaged<RequestWorker>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Calls a body with an object that others keep alive meanwhile: the worker outlives its daemon,
  /// and an exchange is the connection's until `completed`.
  ///
  /// It is neither retained nor released, which would be twelve times a request.
  private static func borrowing<Object: AnyObject>(
    _ type: Object.Type, _ pointer: UnsafeMutableRawPointer, _ body: (Object) -> MHD_Result
  ) -> MHD_Result {
    unsafe Unmanaged<Object>.fromOpaque(pointer)._withUnsafeGuaranteedRef(body)
  }
}
