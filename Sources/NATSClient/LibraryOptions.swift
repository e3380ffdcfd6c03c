internal import CNats
internal import Glibc

/// The options of the library for one connection.
@safe final class LibraryOptions {
  let handle: OpaquePointer

  /// Creates options whose callbacks get a number.
  init(_ options: NATSConnection.Options, callbacks number: UInt) throws(NATSError) {
    var created: OpaquePointer?
    try unsafe natsOptions_Create(&created).check()
    guard let handle = unsafe created else { throw NATSError(.failed, "no options") }
    unsafe self.handle = handle
    try setAddresses(options.addresses.urls)
    if let path = options.credentials {
      try unsafe natsOptions_SetUserCredentialsFromFiles(handle, path, nil).check()
    }
    try unsafe natsOptions_SetName(handle, options.name).check()
    try unsafe natsOptions_SetTimeout(handle, options.timeout).check()
    try setReconnection()
    try unsafe setCallbacks(UnsafeMutableRawPointer(bitPattern: number))
  }

  deinit { unsafe natsOptions_Destroy(handle) }

  private func setAddresses(_ urls: [String]) throws(NATSError) {
    // The library copies the texts.
    var texts: [UnsafePointer<CChar>?] = unsafe []
    defer {
      for index in unsafe texts.indices {
        unsafe free(UnsafeMutablePointer(mutating: texts[index]))
      }
    }
    for url in urls { unsafe texts.append(UnsafePointer(strdup(url))) }
    try unsafe natsOptions_SetServers(handle, &texts, Int32(texts.count)).check()
  }

  /// Reconnects to the next broker after 20 to 40 ms, without a limit on the attempts.
  ///
  /// A broker that does not reply to two pings, one per second, counts as failed.
  private func setReconnection() throws(NATSError) {
    try unsafe natsOptions_SetAllowReconnect(handle, true).check()
    try unsafe natsOptions_SetMaxReconnect(handle, -1).check()
    try unsafe natsOptions_SetReconnectWait(handle, 20).check()
    try unsafe natsOptions_SetReconnectJitter(handle, 20, 20).check()
    try unsafe natsOptions_SetPingInterval(handle, 1_000).check()
    try unsafe natsOptions_SetMaxPingsOut(handle, 2).check()
    try unsafe natsOptions_SetFailRequestsOnDisconnect(handle, true).check()
    try unsafe natsOptions_SetWriteDeadline(handle, 2_000).check()
    // Without a flusher thread in between, an acknowledgement takes 0.2 ms instead of 1 ms.
    try unsafe natsOptions_SetSendAsap(handle, true).check()
  }

  private func setCallbacks(_ number: UnsafeMutableRawPointer?) throws(NATSError) {
    try unsafe natsOptions_SetDisconnectedCB(handle, connectionDidDisconnect, number).check()
    try unsafe natsOptions_SetReconnectedCB(handle, connectionDidReconnect, number).check()
    try unsafe natsOptions_SetClosedCB(handle, connectionDidDisconnect, number).check()
  }
}

// Functions of the file, not closures: the library calls them on its own threads.

private func connectionDidDisconnect(_: OpaquePointer?, _ number: UnsafeMutableRawPointer?) {
  ConnectionState.all[UInt(bitPattern: number)]?.didDisconnect()
}

private func connectionDidReconnect(_: OpaquePointer?, _ number: UnsafeMutableRawPointer?) {
  ConnectionState.all[UInt(bitPattern: number)]?.didReconnect()
}
