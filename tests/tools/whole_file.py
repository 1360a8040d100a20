"""Files that are written whole or not at all."""

import os


def write_whole(path, text):
    """Writes `text` to `path` by way of a temporary file beside it."""
    temporary = path + ".tmp"
    with open(temporary, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)
