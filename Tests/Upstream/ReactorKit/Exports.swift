@_exported import ReactorCore
