// ReactorCore
