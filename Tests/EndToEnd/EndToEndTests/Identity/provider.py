"""A small identity provider over HTTP, with the keys and tokens of joserfc.

Prints its port. GET /jwks is its key set, GET /token?sub=… a token that is signed with the newest key
(further parameters are claims; exp is in seconds from now), POST /rotate adds a key, and POST /retire
removes all keys but the newest.
"""
import json, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from joserfc import jwk, jwt

keys = []


def rotate():
    kid = f"key-{len(keys) + 1}-{time.time_ns()}"
    keys.append(jwk.OKPKey.generate_key("Ed25519", {"kid": kid, "alg": "EdDSA", "use": "sig"}))


def token(claims):
    now = int(time.time())
    claims = {"iss": "https://id.example", "aud": "cart", "iat": now, **claims}
    claims["exp"] = now + int(claims.get("exp", 3600))
    header = {"alg": "EdDSA", "kid": keys[-1].as_dict()["kid"]}
    return jwt.encode(header, claims, keys[-1], algorithms=["EdDSA"])


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def reply(self, text):
        body = text.encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        url = urlsplit(self.path)
        if url.path == "/jwks":
            self.reply(json.dumps({"keys": [key.as_dict(private=False) for key in keys]}))
        else:
            self.reply(token(dict(parse_qsl(url.query))))

    def do_POST(self):
        if self.path == "/rotate":
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
