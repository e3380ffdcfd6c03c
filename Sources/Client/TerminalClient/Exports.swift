// `ServerAddress`, for the commands and the daemon's configuration.
@_exported public import CurlTransport
