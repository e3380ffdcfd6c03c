internal import COpenSSL

/// libcrypto and libssl in this process.
package enum CryptoLibrary {
  /// Keeps the library usable until the process has ended.
  ///
  /// By default `exit` frees its locks while threads of links, of the database or of requests to other servers still
  /// use them, and the process ends with a signal (OPENSSL_init_crypto(3), `OPENSSL_INIT_NO_ATEXIT`).
  ///
  /// Call this before the first use of the library, also by libpq and libcurl.
  package static func keepUntilExit() {
    _ = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
  }
}
