-- The request of wrk: one action, repeated.
wrk.method = "POST"
wrk.body = "\"increase\""
wrk.headers["Content-Type"] = "application/json"
