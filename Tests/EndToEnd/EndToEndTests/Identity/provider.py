"""A small identity provider over HTTP, with the keys and tokens of joserfc.

Prints its port. GET /jwks is its key set, GET /.well-known/openid-configuration its configuration,
GET /token?sub=… a token that is signed with the newest key (further parameters are claims; exp is in
seconds from now), POST /token one with the claims of a JSON object, POST /rotate adds a key, POST
/retire removes all keys but the newest, POST /introspect says that an opaque token is its own sub (with
?iss of this provider, for cart or with &shop for shop), and POST /status?200 sets the status of the first two.

With the argument rsa the keys are as providers publish them: RS256 with further members, and beside
each a key for encryption.
"""
import json, sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from joserfc import jwk, jwt

keys = []
status = 200


algorithm = "RS256" if "rsa" in sys.argv else "EdDSA"


def rotate():
    kid = f"key-{len(keys) + 1}-{time.time_ns()}"
    if algorithm == "RS256":
        keys.append(jwk.RSAKey.generate_key(2048, {"kid": kid, "alg": "RS256", "use": "sig"}))
        return
    keys.append(jwk.OKPKey.generate_key("Ed25519", {"kid": kid, "alg": "EdDSA", "use": "sig"}))


def token(claims):
    now = int(time.time())
    claims = {"iss": "https://id.example", "aud": "cart", "iat": now, **claims}
    claims["exp"] = now + int(claims.get("exp", 3600))
    header = {"alg": algorithm, "kid": keys[-1].as_dict()["kid"]}
    return jwt.encode(header, claims, keys[-1], algorithms=[algorithm])


def published():
    """The keys as a key set."""
    listed = []
    for key in keys:
        members = key.as_dict(private=False)
        if algorithm == "RS256":
            members.update({"x5t": "dGh1bWI", "x5c": ["bm90IGEgY2VydGlmaWNhdGU="], "issuer": "x"})
            listed.append({**members, "kid": "encryption", "use": "enc", "alg": "RSA-OAEP"})
        listed.append(members)
    return {"keys": listed}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def reply(self, text, status=200):
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        url = urlsplit(self.path)
        if url.path == "/jwks":
            self.reply(json.dumps(published()), status)
        elif url.path == "/.well-known/openid-configuration":
            issuer = "http://" + self.headers["Host"]
            self.reply(json.dumps({"issuer": issuer, "jwks_uri": issuer + "/jwks"}), status)
        else:
            self.reply(token(dict(parse_qsl(url.query))))

    def do_POST(self):
        global status
        if self.path.startswith("/status?"):
            status = int(self.path.partition("?")[2])
        elif self.path == "/token":
            body = self.rfile.read(int(self.headers["Content-Length"]))
            return self.reply(token(json.loads(body)))
        elif self.path.startswith("/introspect"):
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            claims = {"active": True, "sub": dict(parse_qsl(body))["token"]}
            if "?iss" in self.path:
                claims["iss"] = "http://" + self.headers["Host"]
                claims["aud"] = "shop" if self.path.endswith("&shop") else "cart"
            return self.reply(json.dumps(claims))
        elif self.path == "/rotate":
            rotate()
        else:
            del keys[:-1]
        self.reply("")

    def log_message(self, *arguments):
        pass


rotate()
server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
