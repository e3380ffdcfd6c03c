internal import CMicrohttpd
internal import Glibc

/// The callbacks of libmicrohttpd, which run on the thread of the daemon.
///
/// Each recovers its object from a pointer, calls one method, and maps the result.
enum DaemonCallbacks {
  /// The request line was parsed.
  ///
  /// Returns a retained exchange, which the connection owns until `completed`.
  ///
  /// `text` is the unparsed target. libmicrohttpd would next parse the query into its pool (64 bytes
  /// per `&`), and 0.9.75 loses the error when the pool is full: the worker spins until the connection
  /// times out. So the query is copied and then truncated; the buffer is libmicrohttpd's and writable,
  /// and its parser modifies it as well.
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

  /// Called once after the header fields, then with each part of the body, then without data until
  /// there is a response.
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

  /// The request has ended; releases the exchange that `target` retained.
  static let completed: MHD_RequestCompletedCallback = { context, _, slot, _ in
    guard let worker = unsafe worker(context), let slot = unsafe slot,
      let pointer = unsafe slot.pointee
    else { return }
    unsafe slot.pointee = nil
    unsafe Unmanaged<Exchange>.fromOpaque(pointer).takeRetainedValue().end(on: worker)
  }

  /// A connection was opened or is about to be closed.
  ///
  /// Stores the connection's index in the worker's array, plus one, so that it is not `nil`.
  static let connection: MHD_NotifyConnectionCallback = { context, connection, slot, code in
    guard let worker = unsafe worker(context), let slot = unsafe slot else { return }
    if code == .CONNECTION_NOTIFY_STARTED, let connection = unsafe connection {
      let index = unsafe worker.connectionOpened(Connection(connection))
      unsafe slot.pointee = UnsafeMutableRawPointer(bitPattern: index + 1)
    } else {
      unsafe worker.connectionClosed(Int(bitPattern: slot.pointee) - 1)
    }
  }

  /// libmicrohttpd is about to receive bytes.
  static let mayReceive: @convention(c) (UnsafeMutableRawPointer?, Int32) -> Bool = {
    context, descriptor in
    guard let context = unsafe context else { return true }
    return unsafe borrowing(RequestWorker.self, context) { $0.mayReceive(from: descriptor) }
  }

  /// libmicrohttpd has received bytes, which it parses next.
  static let received:
    @convention(c) (UnsafeMutableRawPointer?, Int32, UnsafeMutablePointer<UInt8>, Int, Bool) -> Int =
      {
        context, descriptor, bytes, count, hasRoom in
        guard let context = unsafe context else { return count }
        let bytes = unsafe UnsafeMutableBufferPointer(start: bytes, count: count)
        return unsafe borrowing(RequestWorker.self, context) { worker in
          unsafe worker.scan(bytes, from: descriptor, replacing: hasRoom)
        }
      }

  /// libmicrohttpd is about to send bytes of a response.
  static let maySend: @convention(c) (UnsafeMutableRawPointer?, Int32, Int) -> Int = {
    context, descriptor, size in
    guard let context = unsafe context else { return size }
    return unsafe borrowing(RequestWorker.self, context) { $0.maySend(size, to: descriptor) }
  }

  /// Leaves the percent-encoding unchanged; the service decodes it.
  static let unescape:
    @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<CChar>?) -> Int =
      { _, _, text in unsafe text.map { unsafe Int(strlen($0)) } ?? 0 }

  /// Adds one header field to the intake of a request.
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

  /// Decodes a method; the most frequent ones are constants and not allocated.
  private static func text(ofMethod method: UnsafePointer<CChar>) -> String {
    if unsafe strcmp(method, "GET") == 0 { return "GET" }
    if unsafe strcmp(method, "POST") == 0 { return "POST" }
    return unsafe String(cString: method)
  }

  /// Recovers the worker, which outlives its daemon.
  private static func worker(_ context: UnsafeMutableRawPointer?) -> RequestWorker? {
    unsafe context.map { unsafe Unmanaged<RequestWorker>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Calls a function with an object without retaining it; there are twelve of these calls per
  /// request.
  ///
  /// Both kinds of objects outlive the call: the worker outlives its daemon, and the connection
  /// retains its exchange until `completed`.
  private static func borrowing<Object: AnyObject, Result>(
    _ type: Object.Type, _ pointer: UnsafeMutableRawPointer, _ body: (Object) -> Result
  ) -> Result {
    unsafe Unmanaged<Object>.fromOpaque(pointer)._withUnsafeGuaranteedRef(body)
  }
}
