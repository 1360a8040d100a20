#!/usr/bin/env python3
"""Prints how large the code is: lines, largest files, longest functions, most arguments, documented public items.

    python3 tests/tools/code_size.py [ROOT] [--top N]

Code lines are lines of the crates' sources that are neither blank nor a comment nor test code. ROOT is a checkout, by
default the one this script is in; for another commit: `git worktree add --detach FOLDER COMMIT`.
"""

import argparse
import re
from pathlib import Path

import rust_source as source

FUNCTION = re.compile(r"\bfn\s+(\w+)\s*[<(]")
PUBLIC = re.compile(
    r"^[ \t]*pub\s+(?:const\s+|async\s+|unsafe\s+|extern\s+)*"
    r"(?:fn|struct|enum|trait|type|const|static|union|mod)\s+(?:mut\s+)?(\w+)",
    re.MULTILINE,
)
FIELD = re.compile(r"^[ \t]+pub\s+(\w+)\s*:", re.MULTILINE)


def functions(code):
    """`(name, first line, lines, arguments)` of every function with a body."""
    for match in FUNCTION.finditer(code):
        opening = match.end() - 1
        if code[opening] == "<":
            opening = code.index("(", source.closing(code, opening))
        end = source.closing(code, opening)
        arguments, depth = 0, 0
        inside = re.sub(r"->", "  ", code[opening + 1 : end - 1])
        for part in re.split(r"([,(\[{<>}\])])", inside):
            depth += {"(": 1, "[": 1, "{": 1, "<": 1, ")": -1, "]": -1, "}": -1, ">": -1}.get(part, 0)
            if depth == 0 and part.strip() and part not in ",)]}>":
                arguments += 1 if ":" in part or re.search(r"\bself\b", part) else 0
        body = re.compile(r"[{;]").search(code, end)
        # `;` inside an array type, as in `-> [u8; 4] {`
        while body and code[body.start()] == ";" and code.count("[", end, body.start()) > code.count("]", end, body.start()):
            body = re.compile(r"[{;]").search(code, body.end())
        if body is None or code[body.start()] == ";":
            continue
        finish = source.closing(code, body.start())
        first = code.count("\n", 0, match.start()) + 1
        yield match.group(1), first, code.count("\n", match.start(), finish) + 1, arguments


def documented(text, code):
    """Public items of a file, and the names of those without a docstring above them."""
    lines = text.splitlines()
    items, bare = 0, []
    for match in [*PUBLIC.finditer(code), *FIELD.finditer(code)]:
        number = code.count("\n", 0, match.end())
        above = number - 1
        while above >= 0 and re.match(r"\s*(#\[|#!\[|\)\]|//(?!/))", lines[above]):
            above -= 1
        items += 1
        module = re.search(r"\bmod\s+\w+$", match.group(0)) and lines[number].rstrip().endswith(";")
        # A module's documentation is in its own file.
        if not module and not (above >= 0 and re.match(r"\s*///|.*\*/\s*$", lines[above])):
            bare.append(match.group(1))
    return items, bare


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", nargs="?", default=Path(__file__).resolve().parents[2], type=Path)
    parser.add_argument("--top", type=int, default=5, metavar="N", help="how many of each list (default 5)")
    arguments = parser.parse_args()
    lines, sizes, found, items, bare = {}, [], [], 0, []
    for crate, _, file in source.sources(arguments.root):
        text = file.read_text()
        name = str(file.relative_to(arguments.root))
        code = source.without_tests(source.bare(text))
        kept = source.without_tests(source.without_comments(text))
        lines[crate] = lines.get(crate, 0) + sum(1 for line in kept.splitlines() if line.strip())
        sizes.append((text.count("\n"), name))
        found += [(name, *function) for function in functions(code)]
        count, missing = documented(text, code)
        items += count
        bare += [f"{name}: {item}" for item in missing]
    total = sum(lines.values())
    print(f"code lines: {total} ({', '.join(f'{crate} {count}' for crate, count in lines.items())})")
    print(f"files: {len(sizes)}, median {sorted(sizes)[len(sizes) // 2][0]} lines, largest:")
    for size, name in sorted(sizes, reverse=True)[: arguments.top]:
        print(f"    {size:5} {name}")
    print(f"functions: {len(found)}, longest:")
    for name, function, line, length, _ in sorted(found, key=lambda each: -each[3])[: arguments.top]:
        print(f"    {length:5} {name}:{line} {function}")
    print("most arguments:")
    for name, function, line, _, count in sorted(found, key=lambda each: -each[4])[: arguments.top]:
        print(f"    {count:5} {name}:{line} {function}")
    print(f"public items: {items}, documented {100 * (1 - len(bare) / max(items, 1)):.1f} %, without a docstring:")
    for name in bare[: arguments.top]:
        print(f"          {name}")


if __name__ == "__main__":
    main()
