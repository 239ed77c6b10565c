# Seals and opens as SECURITY.md says, with the HKDF and the AES-SIV of OpenSSL; no line of it is ours.
# Reads JSON: {"secret", "label", "seal": [[context, text]], "open": [[context, sealed]]}; writes {"sealed", "opened"}.
import base64
import json
import sys

from cryptography.hazmat.primitives.ciphers.aead import AESSIV
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

asked = json.load(sys.stdin)
info = ("colophon " + asked["label"]).encode()
key = HKDF(algorithm=SHA256(), length=64, salt=None, info=info).derive(asked["secret"].encode())
siv = AESSIV(key)


def seal(context, text):
    # It does not take an empty text; RFC 5297 does.
    made = siv.encrypt(text.encode(), [context.encode()])
    return "v1." + base64.urlsafe_b64encode(made).decode().rstrip("=")


def unseal(context, sealed):
    text = sealed[len("v1.") :]
    made = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    return siv.decrypt(made, [context.encode()]).decode()


json.dump(
    {
        "sealed": [seal(context, text) for context, text in asked["seal"]],
        "opened": [unseal(context, sealed) for context, sealed in asked["open"]],
    },
    sys.stdout,
)
