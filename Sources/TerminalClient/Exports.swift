// The addresses of the commands, and of the daemon's configuration.
@_exported public import ClientSockets
