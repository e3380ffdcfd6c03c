"""Prints keys and tokens that PyJWT and joserfc made, as JSON, for TokenVerifierTests.

The tokens are valid at the time that is given as the argument, in seconds since 1970.
"""
import base64, datetime, hashlib, hmac, json, os, sys

import jwt
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.asymmetric import utils as signatures
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


def text_for(name):
    return b64(compact({"alg": name, "kid": name})) + "." + b64(compact(claims))


def with_signature(name, signature):
    return text_for(name) + "." + b64(signature)


def by_rsa(name, block):
    """Applies the private key to a block of bytes, without a check of its padding."""
    numbers = keys[name].private_numbers()
    n = numbers.public_numbers.n
    signature = pow(int.from_bytes(block, "big"), numbers.d, n)
    return with_signature(name, signature.to_bytes((n.bit_length() + 7) // 8, "big"))


# DigestInfo of SHA-256 (RFC 8017, 9.2): SEQUENCE { SEQUENCE { OID, NULL }, OCTET STRING }.
sha256_oid = bytes.fromhex("0609608648016503040201")
rs_digest = hashlib.sha256(text_for("RS256").encode()).digest()


def der(tag, *parts):
    content = b"".join(parts)
    return bytes([tag, len(content)]) + content


digest_octets = der(0x04, rs_digest)
info = der(0x30, der(0x30, sha256_oid, b"\x05\x00"), digest_octets)


def padded(info, kind=1, fill=b"\xff", length=256):
    return bytes([0, kind]) + fill * (length - 3 - len(info)) + b"\x00" + info


identifier = der(0x30, sha256_oid, b"\x05\x00")
infos = {
    "a long form of a length": b"\x30\x81" + info[1:],
    "an indefinite length": b"\x30\x80" + info[2:] + b"\x00\x00",
    "a length that is too large": bytes([0x30, info[1] + 1]) + info[2:],
    "a length that is too small": bytes([0x30, info[1] - 1]) + info[2:],
    "no NULL": der(0x30, der(0x30, sha256_oid), digest_octets),
    "another tag than NULL": der(0x30, der(0x30, sha256_oid, b"\x04\x00"), digest_octets),
    "a NULL with content": der(0x30, der(0x30, sha256_oid, b"\x05\x01\x00"), digest_octets),
    "garbage in the identifier": der(
        0x30, der(0x30, sha256_oid, b"\x05\x00", b"\x04\x02ab"), digest_octets
    ),
    "garbage after the digest": der(0x30, identifier, digest_octets, b"\x04\x02ab"),
    "garbage after the sequence": info + b"\x04\x02ab",
    "no sequence": identifier + digest_octets,
    "a sequence of a sequence": der(0x30, info),
    "the identifier of SHA-384": info.replace(sha256_oid, sha256_oid[:-1] + b"\x02"),
    "the identifier of SHA-1": der(
        0x30, der(0x30, bytes.fromhex("06052b0e03021a"), b"\x05\x00"), digest_octets
    ),
    "a BIT STRING": der(0x30, identifier, der(0x03, b"\x00", rs_digest)),
    "half of the digest": der(0x30, identifier, der(0x04, rs_digest[:16])),
    "another digest": der(0x30, identifier, der(0x04, rs_digest[::-1])),
    "the digest alone": rs_digest,
    "no content": b"",
}
short_fill = b"\x00\x01" + b"\xff" * 8 + b"\x00" + info
blocks = {
    "the block type 0": padded(info, kind=0, fill=b"\x00"),
    "the block type 2": padded(info, kind=2, fill=b"\xaa"),
    "a fill of another byte": padded(info, fill=b"\xfe"),
    "no separator": padded(info).replace(b"\x00" + info, b"\xff" + info),
    "a first byte that is not 0": b"\x01" + padded(info)[1:],
    # Bleichenbacher's forgery (CVE-2006-4339): the digest is not at the end of the block.
    "a short fill and garbage": short_fill + b"\x00" * (256 - len(short_fill)),
    "a fill without bytes": (b"\x00\x01\x00" + info).ljust(256, b"\x00"),
}
rs = {f"PKCS #1 v1.5 with {name}": by_rsa("RS256", padded(value)) for name, value in infos.items()}
rs |= {f"PKCS #1 v1.5 with {name}": by_rsa("RS256", value) for name, value in blocks.items()}
right_rs = by_rsa("RS256", padded(info))
modulus = keys["RS256"].public_key().public_numbers().n
rs_number = int.from_bytes(base64.urlsafe_b64decode(right_rs.split(".")[2] + "=="), "big")
rs |= {
    f"an RSA signature of {name}": with_signature("RS256", value)
    for name, value in {
        "0": bytes(256),
        "1": bytes(255) + b"\x01",
        "the modulus": modulus.to_bytes(256, "big"),
        "the modulus - 1": (modulus - 1).to_bytes(256, "big"),
        "its value and the modulus": (rs_number + modulus).to_bytes(257, "big"),
        "a zero more": b"\x00" + rs_number.to_bytes(256, "big"),
        "a byte less": rs_number.to_bytes(256, "big")[:-1],
    }.items()
}


def pss(name, salt, digest=hashes.SHA256, mask=hashes.SHA256):
    scheme = padding.PSS(padding.MGF1(mask()), salt)
    return with_signature(name, keys[name].sign(text_for(name).encode(), scheme, digest()))


def pss_by_hand(trailer=0xBC, zeros=True):
    """EMSA-PSS (RFC 8017, 9.1.1), with an odd trailer or an odd padding."""
    digest = hashlib.sha256(text_for("PS256").encode()).digest()
    salt = os.urandom(32)
    h = hashlib.sha256(bytes(8) + digest + salt).digest()
    length = 384 - 32 - 1
    db = (bytes(length - 33) if zeros else b"\x00\x01" + bytes(length - 35)) + b"\x01" + salt
    mask = b"".join(hashlib.sha256(h + i.to_bytes(4, "big")).digest() for i in range(12))[:length]
    masked = bytes(a ^ b for a, b in zip(db, mask))
    masked = bytes([masked[0] & 0x7F]) + masked[1:]
    return by_rsa("PS256", masked + h + bytes([trailer]))


pkcs1 = keys["PS256"].sign(text_for("PS256").encode(), padding.PKCS1v15(), hashes.SHA256())
ps = {
    "PSS without a salt": pss("PS256", 0),
    "PSS with a salt of 20 bytes": pss("PS256", 20),
    "PSS with the longest salt": pss("PS256", padding.PSS.MAX_LENGTH),
    "PSS with SHA-384": pss("PS256", 48, hashes.SHA384, hashes.SHA384),
    "PSS with MGF1 of SHA-1": pss("PS256", 32, mask=hashes.SHA1),
    "PSS with SHA-1": pss("PS256", 20, hashes.SHA1, hashes.SHA1),
    "PS384 with SHA-256": pss("PS384", 32),
    "PSS with another trailer": pss_by_hand(trailer=0xCC),
    "PSS with a padding that is not 0": pss_by_hand(zeros=False),
    "PKCS #1 v1.5 as PSS": with_signature("PS256", pkcs1),
    "PSS as PKCS #1 v1.5": with_signature(
        "RS256",
        keys["RS256"].sign(
            text_for("RS256").encode(), padding.PSS(padding.MGF1(hashes.SHA256()), 32), hashes.SHA256()
        ),
    ),
}
es = {}
orders = {
    "ES256": (32, 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551),
    "ES384": (
        48,
        0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFC7634D81F4372DDF581A0DB248B0A77AECEC196ACCC52973,
    ),
    "ES512": (
        66,
        0x1FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFA51868783BF2F966B7FCC0148F709A5D03BB5C9B8899C47AEBB6FB71E91386409,
    ),
}
for name, (half, n) in orders.items():
    hash = {"ES256": hashes.SHA256, "ES384": hashes.SHA384, "ES512": hashes.SHA512}[name]()
    encoded = keys[name].sign(text_for(name).encode(), ec.ECDSA(hash))
    r, s = signatures.decode_dss_signature(encoded)
    top = 256**half - 1
    pairs = [(0, 0), (0, s), (r, 0), (0, 1), (1, 0), (1, 1), (n, n), (n, s), (r, n), (n - 1, n - 1)]
    pairs += [(n + 1, 1), (top, top), (r, (s + 1) % n), (s, r)]
    # The same residue, where it fits: only numbers below the order are accepted.
    pairs += [(r + n, s)] * (r + n <= top) + [(r, s + n)] * (s + n <= top)
    for index, (a, b) in enumerate(pairs):
        value = a.to_bytes(half, "big") + b.to_bytes(half, "big")
        es[f"{name} with the numbers of pair {index}"] = with_signature(name, value)
    right = r.to_bytes(half, "big") + s.to_bytes(half, "big")
    es |= {
        f"{name} in DER": with_signature(name, encoded),
        f"{name} with a byte more": with_signature(name, right + b"\x00"),
        f"{name} with a zero before each number": with_signature(
            name, b"\x00" + right[:half] + b"\x00" + right[half:]
        ),
        f"{name} without the second number": with_signature(name, right[:half]),
        f"{name} of another digest": with_signature(
            name,
            b"".join(
                number.to_bytes(half, "big")
                for number in signatures.decode_dss_signature(
                    keys[name].sign(text_for(name).encode(), ec.ECDSA(hashes.SHA224()))
                )
            ),
        ),
    }
hs = {}
for name, digest, other in (
    ("HS256", "sha256", "sha512"),
    ("HS384", "sha384", "sha256"),
    ("HS512", "sha512", "sha256"),
):
    mac = hmac.new(secret, text_for(name).encode(), digest).digest()
    hs |= {
        f"{name} truncated": with_signature(name, mac[:-1]),
        f"{name} of one byte": with_signature(name, mac[:1]),
        f"{name} with a byte more": with_signature(name, mac + b"\x00"),
        f"{name} with another digest": with_signature(
            name, hmac.new(secret, text_for(name).encode(), other).digest()
        ),
        f"{name} with an empty secret": with_signature(
            name, hmac.new(b"", text_for(name).encode(), digest).digest()
        ),
    }
for name, half in (("ES256", 32), ("ES384", 48), ("ES512", 66)):
    numbers = keys[name].public_key().public_numbers()
    point = numbers.x.to_bytes(half, "big") + numbers.y.to_bytes(half, "big")
    text = b64(compact({"alg": "HS256", "kid": name})) + "." + b64(compact(claims))
    mac = hmac.new(b"\x04" + point, text.encode(), hashlib.sha256).digest()
    hs[f"HS256 with the point of {name} as the secret"] = text + "." + b64(mac)

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

ed = base64.urlsafe_b64decode(signature + "==")
ed_order = 2**252 + 27742317777372353535851937790883648493
ed_s = int.from_bytes(ed[32:], "little")
attacks |= {
    # RFC 8032, 5.1.7: S is below the order.
    "EdDSA with S and the order": f"{head}.{body}."
    + b64(ed[:32] + (ed_s + ed_order).to_bytes(32, "little")),
    "EdDSA with an S of 0": f"{head}.{body}." + b64(ed[:32] + bytes(32)),
    "EdDSA with the numbers swapped": f"{head}.{body}." + b64(ed[32:] + ed[:32]),
    "EdDSA with a byte more": f"{head}.{body}." + b64(ed + b"\x00"),
    "JSON serialization": json.dumps({"payload": body, "protected": head, "signature": signature}),
    "space in the header": f"{head} .{body}.{signature}",
    "space in the claims": f"{head}.{body} .{signature}",
    "space in the signature": f"{head}.{body}. {signature}",
    "padding of the header": f"{head}=.{body}.{signature}",
    "no header": f".{body}.{signature}",
    "no claims": f"{head}..{signature}",
    "no claims and no separator": f"{head}.{signature}",
    "no signature and no separator": f"{head}.{body}",
    "a first dot more": f".{head}.{body}.{signature}",
    "header in the standard alphabet": signed(
        base64.b64encode(compact({"alg": "EdDSA", "kid": "EdDSA", "x": "\xff?>"})).decode(), body
    ),
    **rs,
    **ps,
    **es,
    **hs,
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
                "PKCS #1 v1.5 made by hand": right_rs,
                "PSS made by hand": pss_by_hand(),
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
