"""Tables of two numbers a line that are inside the program (src/engine/src/measured_table.rs), with the networks that they were measured with."""

import json
import os

NETS = {"value net": "nets/trained/value.safetensors", "policy net": "nets/trained/moves.safetensors"}


def name(path):
    """The name of the network in a file: the first digits of the hash that it states."""
    with open(path, "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    return header["__metadata__"]["okapi.sha256"][:16]


def read(path):
    with open(path) as file:
        return [tuple(map(float, line.split())) for line in file if not line.startswith("#")]


def write(path, comment, rows):
    """Writes rows of text, below the comment and the names of the networks that ship."""
    hashes = [f"{what} {name(file)}" for what, file in NETS.items()]
    text = "".join(f"{line}\n" for line in [f"# {comment}", f"# {', '.join(hashes)}", *rows])
    with open(path + ".part", "w") as file:
        file.write(text)
    os.replace(path + ".part", path)
    return text
