"""Rust sources as text: a crate's modules, with comments, literals and test code blanked out."""

import re
from pathlib import Path

CRATES = {
    "okapi": "src",
    "board": "src/board/src",
    "player": "src/player/src",
    "support": "src/support/src",
    "kernels": "kernels/src",
    "feature_maps": "feature_maps/src",
    "nets": "nets/src",
    "sts": "sts/src",
}

TOKEN = re.compile(
    r"(?P<comment>//[^\n]*|/\*.*?\*/)"
    r"|(?P<raw>b?r(?P<hashes>#*)\".*?\"(?P=hashes))"
    r"|(?P<text>b?\"(?:\\.|[^\"\\])*\")"
    r"|(?P<char>b?'(?:\\(?:x..|u\{[^}]*\}|.)|[^'\\])')",
    re.DOTALL,
)


def blank(match):
    """Spaces of the same shape, so that offsets and lines stay."""
    return re.sub(r"[^\n]", " ", match.group(0))


def without_comments(text):
    """The code with comments blanked, literals kept."""
    return TOKEN.sub(lambda match: blank(match) if match.group("comment") else match.group(0), text)


def bare(text):
    """The code with comments and literals blanked."""
    return TOKEN.sub(lambda match: blank(match) if match.group("comment") else '"' + blank(match)[2:] + '"', text)


def closing(code, opening):
    """The offset after the bracket that closes the one at `opening`, of blanked code."""
    pairs, depth = {"{": "}", "(": ")", "[": "]", "<": ">"}, 0
    left, right = code[opening], pairs[code[opening]]
    for offset in range(opening, len(code)):
        if code[offset] == left:
            depth += 1
        elif code[offset] == right and not (right == ">" and code[offset - 1] in "-="):
            depth -= 1
            if depth == 0:
                return offset + 1
    return len(code)


def without_tests(code):
    """Blanked code without the items behind `#[cfg(test)]`."""
    while match := re.search(r"#\[cfg\(test\)\]", code):
        end = match.end()
        while code[end] not in "{;":
            end = closing(code, end) if code[end] in "([" else end + 1
        end = closing(code, end) if code[end] == "{" else end + 1
        code = code[: match.start()] + re.sub(r"[^\n]", " ", code[match.start() : end]) + code[end:]
    return code


def module_path(file, folder):
    """`search/alpha_beta/mod.rs` is `("search", "alpha_beta")`, `lib.rs` and `main.rs` are `()`."""
    parts = file.relative_to(folder).with_suffix("").parts
    return parts[:-1] if parts[-1] in ("mod", "lib", "main") else parts


def test_modules(files, folder):
    """The paths of modules that are declared behind `#[cfg(test)]`, `#[path]` not being used here."""
    found = set()
    for file in files:
        code = bare(file.read_text())
        for match in re.finditer(r"#\[cfg\(test\)\]\s*(?:#\[[^\]]*\]\s*)*(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)\s*;", code):
            found.add(module_path(file, folder) + (match.group(1),))
    return found


def sources(root):
    """`(crate, folder, file)` for every file of a crate's source, test modules left out."""
    for crate, place in CRATES.items():
        folder = Path(root) / place
        nested = [Path(root) / other for other in CRATES.values() if other.startswith(place + "/")]
        files = [
            file
            for file in sorted(folder.rglob("*.rs"))
            if not any(other.parent in file.parents for other in nested)
        ]
        tests = test_modules(files, folder)
        for file in files:
            path = module_path(file, folder)
            if not any(path[: len(test)] == test for test in tests):
                yield crate, folder, file
