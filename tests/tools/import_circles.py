#!/usr/bin/env python3
"""Lists import circles between the modules of each crate; exit code 1 if there is one.

    python3 tests/tools/import_circles.py [ROOT] [--all]

A module imports another if its code names it by a path: in a `use`, or inline (`crate::a::b`, `super::b`, `self::b`, a
child's name). A parent and its child are a circle if each names items of the other; `mod` declarations and re-exports
(`pub use`) do not count, and an item belongs to the module that defines it, also where a parent re-exports it. Folders
are checked as well: two folders are a circle if each has a module that imports one of the other. Test modules are left
out.
"""

import argparse
import re
import sys
from pathlib import Path

import rust_source as source

USE = re.compile(r"\b(?:(pub(?:\([^)]*\))?)\s+)?use\s+([^;]+);")
PATH = re.compile(r"(?<![\w:.$])(?:[a-z_]\w*|crate|self|super)(?:::\w+)+")
DEFINED = re.compile(
    r"\b(?:fn|struct|enum|trait|type|const|static|union|macro_rules!)\s+(?:mut\s+)?(?:unsafe\s+)?(?:fn\s+)?(\w+)"
)


def expand(tree):
    """The paths of a use tree: `a::{b, c::{self, D as E}}` is `a::b`, `a::c`, `a::c::D`, each with its local name."""
    tree = tree.strip()
    if tree.endswith("}"):
        head, _, inner = tree.partition("{")
        parts, depth, begin = [], 0, 0
        inner = inner[:-1]
        for offset, letter in enumerate(inner):
            depth += {"{": 1, "}": -1}.get(letter, 0)
            if letter == "," and depth == 0:
                parts.append(inner[begin:offset])
                begin = offset + 1
        parts.append(inner[begin:])
        return [(head + path, name) for part in parts if part.strip() for path, name in expand(part)]
    path, _, alias = tree.partition(" as ")
    path = path.strip().removesuffix("::self")
    return [(path, alias.strip() or path.split("::")[-1])]


class Crate:
    """The modules of one crate: their blanked code, the names they define, import and re-export."""

    def __init__(self, files, folder, name):
        self.name, self.code = name, {}
        for file in files:
            # A crate's library and program are two roots; the program's is of no interest to the library.
            path = ("main",) if file.name == "main.rs" else source.module_path(file, folder)
            self.code[path] = source.without_tests(source.bare(file.read_text()))
        self.uses, self.exports, self.defines, self.names = {}, {}, {}, {}
        for path, code in self.code.items():
            self.defines[path] = set(DEFINED.findall(code))
            found = [(public, pair) for public, tree in USE.findall(code) for pair in expand(tree)]
            self.uses[path] = [target for public, (target, _) in found if not public]
            self.exports[path] = {name: target for public, (target, name) in found if public}
            self.names[path] = {name: target for _, (target, name) in found}

    def absolute(self, module, path):
        """A path's segments from the crate's root, or None if it leads out of the crate."""
        parts = path.split("::")
        if parts[0] == "crate" or (module == ("main",) and parts[0] == self.name):
            return tuple(parts[1:])
        if parts[0] in ("self", "super"):
            base = module
            while parts and parts[0] in ("self", "super"):
                base = base[:-1] if parts[0] == "super" else base
                parts = parts[1:]
            return base + tuple(parts)
        if module + (parts[0],) in self.code and module != ("main",):
            return module + tuple(parts)
        return None

    def owner(self, segments, seen=()):
        """The module that defines what an absolute path names, re-exports followed."""
        if segments in seen:
            return None
        for length in range(len(segments), -1, -1):
            module = segments[:length]
            if module not in self.code:
                continue
            if length == len(segments):
                return module
            name = segments[length]
            for exported, target in self.exports[module].items():
                if exported == name or (exported == "*" and name not in self.defines[module]):
                    further = self.absolute(module, target.removesuffix("::*"))
                    if further is None:
                        continue
                    further += (name,) if exported == "*" else ()
                    found = self.owner(further + segments[length + 1 :], (*seen, segments))
                    if found is not None and (exported != "*" or name in self.defines[found]):
                        return found
            return module
        return None

    def imports(self, module):
        """The modules that one imports."""
        code = self.code[module]
        inline = PATH.findall(USE.sub(lambda match: source.blank(match), code))
        targets = set(self.uses[module])
        for path in inline:
            first, _, rest = path.partition("::")
            # A name that a `use` has brought here stands for what it imported.
            known = self.names[module].get(first)
            targets.add(f"{known}::{rest}" if known and known != first else path)
        found = set()
        for target in targets:
            segments = self.absolute(module, target.removesuffix("::*"))
            owner = None if segments is None else self.owner(segments)
            if owner is not None and owner != module:
                found.add(owner)
        return found


def components(graph):
    """Strongly connected components of more than one node (Tarjan's algorithm, without recursion)."""
    index, low, stack, on_stack, found = {}, {}, [], set(), []
    for start in graph:
        work = [(start, iter(sorted(graph[start])))] if start not in index else []
        while work:
            node, edges = work[-1]
            if node not in index:
                index[node] = low[node] = len(index)
                stack.append(node)
                on_stack.add(node)
            for other in edges:
                if other not in index:
                    work.append((other, iter(sorted(graph[other]))))
                    break
                if other in on_stack:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    members = []
                    while not members or members[-1] != node:
                        members.append(stack.pop())
                        on_stack.discard(members[-1])
                    if len(members) > 1:
                        found.append(sorted(members))
    return found


def between_siblings(graph):
    """Circles between the folders or files under one module, each taken with all that is below it."""
    found = set()
    for parent in {module[:length] for module in graph for length in range(len(module))}:
        depth = len(parent)
        collapsed = {module[: depth + 1]: set() for module in graph if len(module) > depth and module[:depth] == parent}
        for module, others in graph.items():
            child = module[: depth + 1]
            if child in collapsed:
                collapsed[child] |= {other[: depth + 1] for other in others} & set(collapsed) - {child}
        for members in components(collapsed):
            found.add((tuple(members), tuple((m, o) for m in members for o in sorted(collapsed[m] & set(members)))))
    return sorted(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", nargs="?", default=Path(__file__).resolve().parents[2], type=Path)
    parser.add_argument("--all", action="store_true", help="print every import, not only the circles")
    arguments = parser.parse_args()
    crates, circles, modules = {}, 0, 0
    for crate, folder, file in source.sources(arguments.root):
        crates.setdefault((crate, folder), []).append(file)
    for (name, folder), files in crates.items():
        crate = Crate(files, folder, name)
        graph = {module: crate.imports(module) for module in crate.code}
        modules += len(graph)
        shown = lambda module: "::".join((name, *module))
        if arguments.all:
            for module, others in sorted(graph.items()):
                print(shown(module), "->", ", ".join(map(shown, sorted(others))) or "nothing")
        found = components(graph)
        for members in found:
            circles += 1
            print(f"circle of {len(members)} modules:")
            for module in members:
                inside = sorted(graph[module] & set(members))
                print(f"    {shown(module)} -> {', '.join(map(shown, inside))}")
        for members, edges in between_siblings(graph):
            # A circle of modules shows at their folders too; it is printed once.
            if any(set(members) <= {module[: len(members[0])] for module in circle} for circle in found):
                continue
            circles += 1
            print(f"circle of {len(members)} folders or files:")
            for module, other in edges:
                print(f"    {shown(module)} -> {shown(other)}")
                for one, others in sorted(graph.items()):
                    for two in sorted(others):
                        if one[: len(module)] == module and two[: len(other)] == other:
                            print(f"        {shown(one)} -> {shown(two)}")
    print(f"{modules} modules, {circles} import circles")
    return 1 if circles else 0


if __name__ == "__main__":
    sys.exit(main())
