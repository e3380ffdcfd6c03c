"""Prints keys and tokens that PyJWT and joserfc made, as JSON, for TokenVerifierTests.

The tokens are valid at the time that is given as the argument, in seconds since 1970.
"""
import base64, datetime, hashlib, hmac, json, sys

import jwt
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from joserfc import jwk as jose_jwk
from joserfc import jwt as jose_jwt

now = int(sys.argv[1])


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def compact(value):
    return json.dumps(value, separators=(",", ":")).encode()


claims = {"sub": "ada", "iss": "https://id.example", "aud": "reactord", "exp": now + 300, "iat": now}
keys = {
    "EdDSA": ed25519.Ed25519PrivateKey.generate(),
    "ES256": ec.generate_private_key(ec.SECP256R1()),
    "ES384": ec.generate_private_key(ec.SECP384R1()),
    "RS256": rsa.generate_private_key(public_exponent=65537, key_size=2048),
    "PS256": rsa.generate_private_key(public_exponent=65537, key_size=3072),
}
keys["ES512"] = ec.generate_private_key(ec.SECP521R1())
for bits in ("384", "512"):
    keys["RS" + bits] = keys["RS256"]
    keys["PS" + bits] = keys["PS256"]
secret = bytes(range(1, 65))


def pem(key):
    return key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )


def private_pem(key):
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )


def type_of(name):
    return {"Ed": "OKP", "ES": "EC", "HS": "oct"}.get(name[:2], "RSA")


def certificate(name):
    """A certificate of a key, signed by itself and expired."""
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "id.example")])
    start = datetime.datetime(2020, 1, 1)
    builder = x509.CertificateBuilder(
        subject, subject, keys[name].public_key(), 7, start, start + datetime.timedelta(days=1)
    )
    return builder.sign(keys[name], hashes.SHA256())


def jwk(name):
    if name.startswith("HS"):
        return {"kty": "oct", "k": b64(secret), "kid": name, "alg": name}
    key_type = type_of(name)
    key = jose_jwk.import_key(pem(keys[name]), key_type).as_dict(private=False)
    return {**key, "kid": name, "alg": name, "use": "sig"}


def by_pyjwt(name, claims=claims, **header):
    key = secret if name.startswith("HS") else keys[name]
    return jwt.encode(claims, key, algorithm=name, headers={"kid": name, **header})


def by_joserfc(name):
    material = secret if name.startswith("HS") else private_pem(keys[name])
    key = jose_jwk.import_key(material, type_of(name))
    return jose_jwt.encode({"alg": name, "kid": name}, claims, key, algorithms=[name])


def signed(header, payload, name="EdDSA"):
    """Signs any two texts, which a library would not produce."""
    text = header + "." + payload
    return text + "." + b64(keys[name].sign(text.encode()))


def raw(payload):
    return signed(b64(compact({"alg": "EdDSA", "kid": "EdDSA"})), b64(payload))


def unsigned(algorithm):
    return b64(compact({"alg": algorithm})) + "." + b64(compact(claims)) + "."


names = ["EdDSA", "ES256", "ES384", "ES512"]
names += [family + bits for family in ("RS", "PS", "HS") for bits in ("256", "384", "512")]
good = by_pyjwt("EdDSA")
head, body, signature = good.split(".")
es_head, es_body, es_signature = by_pyjwt("ES256").split(".")
rs_public = pem(keys["RS256"])
confused = b64(compact({"alg": "HS256", "kid": "RS256"})) + "." + b64(compact(claims))
deep = json.dumps({**claims, "x": 0}).replace('"x": 0', '"x": ' + "[" * 40 + "]" * 40).encode()
repeated = b'{"sub":"eve",' + compact(claims)[1:]

attacks = {
    "none": unsigned("none"),
    "None": unsigned("None"),
    "NONE": unsigned("NONE"),
    "nOnE": unsigned("nOnE"),
    "HS256 with the RSA public key as the secret": confused
    + "."
    + b64(hmac.new(rs_public, confused.encode(), hashlib.sha256).digest()),
    "empty ES256 signature": f"{es_head}.{es_body}.",
    "all-zero ES256 signature": f"{es_head}.{es_body}." + b64(bytes(64)),
    "truncated EdDSA signature": f"{head}.{body}." + signature[:-8],
    "truncated ES256 signature": f"{es_head}.{es_body}." + es_signature[:-8],
    "other payload under the signature": f"{head}."
    + b64(compact({**claims, "sub": "eve"}))
    + f".{signature}",
    "wrong audience": by_pyjwt("EdDSA", {**claims, "aud": "another"}),
    "wrong issuer": by_pyjwt("EdDSA", {**claims, "iss": "https://evil.example"}),
    "expired": by_pyjwt("EdDSA", {**claims, "exp": now - 31}),
    "without expiry": by_pyjwt("EdDSA", {k: v for k, v in claims.items() if k != "exp"}),
    "not yet valid": by_pyjwt("EdDSA", {**claims, "nbf": now + 31}),
    "issued in the future": by_pyjwt("EdDSA", {**claims, "iat": now + 31}),
    "wrong kid": by_pyjwt("EdDSA", kid="another"),
    "kid of another key": by_pyjwt("EdDSA", kid="ES256"),
    "embedded key": jwt.encode(
        claims,
        (stranger := ed25519.Ed25519PrivateKey.generate()),
        algorithm="EdDSA",
        headers={"jwk": {"kty": "OKP", "crv": "Ed25519", "x": b64(stranger.public_key().public_bytes_raw())}},
    ),
    "critical extension": signed(
        b64(compact({"alg": "EdDSA", "kid": "EdDSA", "crit": ["b64"], "b64": True})), body
    ),
    "empty critical extensions": signed(
        b64(compact({"alg": "EdDSA", "kid": "EdDSA", "crit": []})), body
    ),
    "logout token": by_pyjwt("EdDSA", typ="logout+jwt"),
    "repeated claim": raw(repeated),
    "repeated claim in an object": raw(compact(claims)[:-1] + b',"a":{"b":1,"b":2}}'),
    "deeply nested claims": raw(deep),
    "claims that are an array": raw(b"[1]"),
    "claims that are not JSON": raw(b"{"),
    "subject that is a number": raw(compact({**claims, "sub": 7})),
    "subject with a line break": raw(compact({**claims, "sub": "a\nb"})),
    "empty subject": raw(compact({**claims, "sub": ""})),
    "no subject": raw(compact({k: v for k, v in claims.items() if k != "sub"})),
    "expiry that is a text": raw(compact({**claims, "exp": str(now + 300)})),
    "expiry beyond 64 bits": raw(compact({**claims, "exp": 0}).replace(b'"exp":0', b'"exp":1e300')),
    "padding": f"{head}.{body}.{signature}==",
    "line break": f"{head}.{body}.{signature}\n",
    "foreign character": f"{head}.{body}.{signature[:-1]}+",
    "spare bits that are set": f"{head}.{body}."
    + signature[:-1]
    + {"A": "B", "Q": "R", "g": "h", "w": "x"}[signature[-1]],
    "two dots too many": f"{head}.{body}.{signature}..",
    "one part": head,
    "empty": "",
    "8 KiB and 1 byte": (lambda t: t + "A" * (8193 - len(t)))(good),
}

print(
    json.dumps(
        {
            "jwks": {"keys": [jwk(name) for name in names]},
            "pem": {name: pem(keys[name]).decode() for name in keys},
            "certificates": {
                name: certificate(name).public_bytes(serialization.Encoding.PEM).decode()
                for name in ("ES256", "RS256")
            },
            "spare": [
                jose_jwk.import_key(pem(ec.generate_private_key(ec.SECP256R1())), "EC").as_dict(
                    private=False
                )
                for _ in range(4)
            ],
            "privatePEM": private_pem(keys["EdDSA"]).decode(),
            "pyjwt": {name: by_pyjwt(name) for name in names},
            "joserfc": {name: by_joserfc(name) for name in names},
            "accepted": {
                "within the leeway": by_pyjwt("EdDSA", {**claims, "exp": now - 29}),
                "several audiences": by_pyjwt("EdDSA", {**claims, "aud": ["x", "reactord"]}),
                "access token type": by_pyjwt("EdDSA", typ="at+JWT"),
                "fully specified algorithm": signed(
                    b64(compact({"alg": "Ed25519", "kid": "EdDSA"})), b64(compact(claims))
                ),
                "fractional expiry": by_pyjwt("EdDSA", {**claims, "exp": now + 0.5}),
                "key without an id": jwt.encode(claims, keys["ES256"], algorithm="ES256"),
                "claims of several types": by_pyjwt(
                    "EdDSA",
                    {**claims, "roles": ["staff", 3], "n": 1.5, "o": {"a": None}, "b": True, "ü": "é"},
                ),
            },
            "attacks": attacks,
        }
    )
)
