// MicrohttpdServer
