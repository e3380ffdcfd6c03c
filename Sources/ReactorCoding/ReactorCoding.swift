// ReactorCoding
