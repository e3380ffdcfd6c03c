internal import CMicrohttpd

/// The reason phrases of status codes.
enum ReasonPhrase {
  /// The registered phrase, or `Unknown`.
  static func of(_ status: Int) -> String {
    guard let phrase = unsafe MHD_get_reason_phrase_for(UInt32(clamping: status)) else {
      return "Unknown"
    }
    return unsafe String(cString: phrase)
  }
}
