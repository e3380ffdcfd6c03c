@_exported import ReactorFoundation
@_exported import ReactorRx
